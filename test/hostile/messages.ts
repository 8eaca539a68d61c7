import { assert } from "vitest"
import { type Attack, times } from "./Attack.ts"
import type { Target } from "./Target.ts"

const headers = { accept: "application/json, text/event-stream" }
const version = "2025-03-26"

/** `count` times an element, as a JSON array. */
const array = (element: string, count: number) => `[${`${element},`.repeat(count - 1)}${element}]`
/** JSON of an object with so many members. */
const members = (count: number, value = "1") =>
  `{${Array.from({ length: count }, (_, n) => `"k${n}":${value}`).join(",")}}`

/** As many line breaks as a body may have. */
const breaks = "\\n".repeat(3_900_000)
const escapes = "/%41".repeat(1_900_000)

const greeting = (capabilities: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"${version}","capabilities":${capabilities},"clientInfo":{"name":"a","version":"1"}}}`
const message = (method: string, params: string, id = "1") =>
  `{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${params}}`

/** A session of the owner's, which takes messages. */
const session = async ({ call }: Target) => {
  const begun = await call("POST", "/mcp", greeting("{}"), headers)
  const own = { "mcp-session-id": begun.headers.get("mcp-session-id")!, "mcp-protocol-version": version }
  return (body: string) => call("POST", "/mcp", body, { ...headers, ...own })
}

/** What is sent of the Model Context Protocol. */
export const messages: ReadonlyArray<Attack> = [
  {
    name: "MCP: a batch of a hundred thousand calls",
    run: async ({ call }) => {
      const one = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
      const { status, text } = await call("POST", "/mcp", array(one, 100_000), headers)
      assert.include([400, 413], status, text.slice(0, 300))
    }
  },
  {
    name: "MCP: a call with millions of arguments",
    run: async ({ call }) => {
      for (const member of [members(1_000_000), array("1", 5_000_000), `{"task":${array("[]", 3_000_000)}}`]) {
        const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":${member}}}`
        const { status, text } = await call("POST", "/mcp", body, headers)
        assert.include([200, 400, 413], status, text.slice(0, 300))
        assert.isAtMost(text.length, 16_384)
      }
    }
  },
  {
    name: "MCP: ids, names and URIs of millions of characters",
    run: async (target) => {
      const send = await session(target)
      for (const body of [
        message("tools/list", "{}", breaks),
        message("tools/call", `{"name":"${breaks}","arguments":{}}`),
        message("tools/call", `{"name":"search","arguments":{"task":"a"},"_meta":{"progressToken":"${breaks}"}}`),
        message("tools/call", `{"name":"search","arguments":${members(19_000, `"${"v".repeat(400)}"`)}}`),
        message("resources/read", `{"uri":"cairn://${escapes}"}`),
        message("resources/read", `{"uri":"cairn://snippets/${"a".repeat(7_900_000)}"}`),
        message("resources/read", `{"uri":"cairn://workspaces/a/files/${escapes}"}`),
        message(escapes, "{}")
      ]) {
        const { status, text } = await send(body)
        assert.isBelow(status, 500, text.slice(0, 300))
        assert.isAtMost(text.length, 16_384)
      }
    }
  },
  {
    name: "MCP: tasks and a file of millions of characters",
    run: async (target) => {
      const send = await session(target)
      for (const given of [
        `{"name":"search","arguments":{"task":"${breaks}"}}`,
        `{"name":"search","arguments":{"task":"${"a ".repeat(3_900_000)}"}}`,
        `{"name":"upload","arguments":{"task":"escapes","file":{"path":"escapes.txt","content":"${"\\u0001".repeat(1_000_000)}"}}}`
      ]) {
        const { status, text } = await send(message("tools/call", given))
        assert.strictEqual(status, 200, text.slice(0, 300))
        assert.notInclude(text, '"isError":true')
      }
    }
  },
  {
    name: "MCP: 900 sessions of clients that have much to tell of themselves",
    run: async ({ call, as }) => {
      const keys = await times(9, async (n) => {
        const { json } = await call("POST", "/api/keys/org/create", {
          email: "much@example.org",
          key_name: `much ${n}`
        })
        return json.key as string
      })
      const much = greeting(`{"experimental":${members(5_500, "{}")}}`)
      for (let n = 0; n < 100; n++) {
        for (const { status, text } of await Promise.all(keys.map((key) => as(key)("POST", "/mcp", much, headers))))
          assert.include([200, 400], status, text.slice(0, 300))
      }
    }
  }
]
