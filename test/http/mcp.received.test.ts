import { assert, describe, it } from "vitest"
import { shortened } from "#src/http/mcp/received.ts"

const call = (given: unknown, more: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "upload", arguments: given },
  ...more
})
const long = "字\n".repeat(2_000_000)
const given = { task: "short", file: { path: "a.py", content: long }, ["__proto__x"]: [long, null, 1, { a: long }] }

describe("what the protocol's library reads of a message", () => {
  it("is short however long its arguments are, which the tool gets as they were sent", () => {
    const { isTooLarge, text, given: whole } = shortened(call(given))
    assert.isFalse(isTooLarge)
    assert.isBelow(text().length, 1_000)
    const read = JSON.parse(text())
    assert.strictEqual(read.params.arguments.task, "short")
    assert.deepStrictEqual(whole(read.params.arguments), given)
  })

  it("is each message of several, and what is no message", () => {
    const { text, given: whole } = shortened([call(given), call({ task: long }, { id: 2 })])
    const [one, other] = JSON.parse(text())
    assert.deepStrictEqual([whole(one.params.arguments), whole(other.params.arguments)], [given, { task: long }])
    assert.deepStrictEqual([one.id, other.id], [1, 2])
    assert.strictEqual(shortened(undefined).text(), "")
    assert.strictEqual(shortened(call(null)).text(), JSON.stringify(call(null)))
  })

  it("is too much where anything but a text of arguments is long", () => {
    const names = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`${n}${"n".repeat(100)}`, 1]))
    for (const message of [
      call({}, { id: long }),
      call({}, { method: long }),
      call({}, { params: { name: long } }),
      call({}, { params: { name: "search", arguments: {}, _meta: { progressToken: long } } }),
      { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: long } },
      call(names),
      call({ file: names })
    ])
      assert.isTrue(shortened(message).isTooLarge, JSON.stringify(message).slice(0, 200))
  })

  it("has nothing of what a client says of itself but its name and version, cut short", () => {
    const experimental = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`a${n}`, {}]))
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: { experimental },
      clientInfo: { name: "n".repeat(10_000), version: "1", icons: [{ src: "data:," }] },
      _meta: { a: "b".repeat(1_000) }
    }
    const read = JSON.parse(shortened({ jsonrpc: "2.0", id: 1, method: "initialize", params }).text())
    assert.deepStrictEqual(read.params, {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "n".repeat(256), version: "1" }
    })
    const wrong = { capabilities: 5, clientInfo: [] }
    const again = JSON.parse(shortened({ jsonrpc: "2.0", id: 1, method: "initialize", params: wrong }).text())
    assert.deepStrictEqual(again.params, wrong)
  })
})
