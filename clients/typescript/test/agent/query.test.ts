import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, assert, beforeEach, it } from "vitest"
import { failure, stub } from "../../../../test/clients/typescript/stub.ts"
import { type CairnHooks, observe } from "../../src/agent/hooks.ts"
import type { HookEvent } from "../../src/agent/index.ts"
import { observedQuery } from "../../src/agent/query.ts"
import { newFolder, removeFolder } from "./standIn.ts"

let cwd: string
beforeEach(() => {
  cwd = newFolder()
})
afterEach(() => removeFolder(cwd))

interface Result {
  readonly type: "result"
  readonly subtype: string
  readonly is_error: boolean
}

/** A query of a fake SDK: each turn writes a file, stops normally, and has this result. */
const queryOf = (results: ReadonlyArray<Result>, mine: object = {}) => {
  const service = stub([
    { status: 200, body: { success: true, code_blocks_stored: 1, message: "", matches: [], total_found: 0 } }
  ])
  const asked: Array<string> = []
  const query = ({ options }: { readonly options: { readonly hooks: CairnHooks } }) => {
    const happens = async (hook_event_name: keyof CairnHooks, event: Partial<HookEvent> = {}) => {
      for (const { hooks } of options.hooks[hook_event_name]) {
        for (const hook of hooks) await hook({ hook_event_name, session_id: "s", cwd, ...event })
      }
    }
    const turns = async function* () {
      for (const [index, result] of results.entries()) {
        await happens("UserPromptSubmit", { prompt: `turn ${index}` })
        const file_path = join(cwd, `file${index}.py`)
        writeFileSync(file_path, `print('file ${index}')\n`)
        await happens("PostToolUse", { tool_name: "Write", tool_input: { file_path } })
        await happens("Stop")
        yield { ...result, session_id: "s" }
      }
    }
    return Object.assign(turns(), {
      interrupt: async () => void asked.push("interrupt"),
      close: () => void asked.push("close")
    })
  }
  const observed = observe(service.cairn, {}, "result")
  const session = observedQuery("x", mine as never, observed, async () => ({ query }) as never)
  const uploads = () =>
    service.sent.filter(({ url }) => url.endsWith("execution-result")).map(({ body }) => body.file_written.path)
  return { session, uploads, asked }
}
const fine: Result = { type: "result", subtype: "success", is_error: false }

it("sends what a turn made before its result is handed out, and only if that is no error", async () => {
  for (const bad of [
    { ...fine, is_error: true },
    { ...fine, subtype: "error_max_turns", is_error: true }
  ]) {
    const { session, uploads } = queryOf([bad, fine])
    const seen: Array<ReadonlyArray<string>> = []
    for await (const message of session) if (message.type === "result") seen.push(uploads())
    assert.deepStrictEqual(seen, [[], ["file0.py", "file1.py"]], bad.subtype)
  }
})

it("keeps the program's own hooks", async () => {
  const heard: Array<string> = []
  const own = { Stop: [{ hooks: [async () => heard.push("stop")] }], Setup: [] }
  const { session, uploads } = queryOf([fine], { hooks: own })
  for await (const _ of session);
  assert.deepStrictEqual([heard, uploads()], [["stop"], ["file0.py"]])
  assert.strictEqual(own.Stop.length, 1, "and does not change what it was given")
})

it("has the methods of the SDK's query, and is no promise", async () => {
  const { session, asked } = queryOf([fine])
  assert.strictEqual(await session, session)
  await session.interrupt()
  assert.strictEqual(session.interrupt, session.interrupt)
  session.close()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepStrictEqual(asked, ["interrupt", "close"])
  assert.match(
    String(await failure((session as unknown as { nothing: () => Promise<void> }).nothing())),
    /no method nothing/
  )
})

it("fails where the SDK can't be loaded, when it is iterated", async () => {
  const session = observedQuery("x", {} as never, observe(stub([]).cairn, {}, "result"), async () => {
    throw new Error("not installed")
  })
  assert.match(String(await failure(session.next())), /not installed/)
})
