import { Effect } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import { importLines } from "#src/snippets/import.ts"
import { readLines } from "#src/snippets/lines.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { matches } from "./store.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** Put together here, so that nobody who looks through this repository takes it for a real one. */
const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`
const everyones = { "x-cairn-public-snips": "true" }
const ignored = { bad: () => {}, done: () => {} }

it("an import for everyone leaves out the lines with secrets, and says which and why without them", async () => {
  const { id, call } = await organization(service, "PRO")
  const lines = [
    { name: "tenrec", source: "def tenrec():\n    return 1\n", language: "python" },
    { name: "leaky", source: `x = 1\nkey = "${token}"\n`, language: "python" },
    { name: "told", source: "y = 2\n", language: "python", description: `Use ${token}.` },
    { name: "noise", source: "\u0001\u0002\u0003".repeat(100), language: "text" }
  ]
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("")
  const to = { tenant: id, secret: "s", home: id, workspace: null }
  const doing = (publish: boolean) =>
    service.run(Effect.scoped(importLines(readLines([Buffer.from(text)] as never), { ...to, publish }, ignored)))
  const { stored, bad } = await doing(true)
  assert.strictEqual(stored, 1)
  assert.deepStrictEqual(
    bad.map(({ line }) => line),
    [2, 3, 4]
  )
  assert.match(bad[0]!.reason, /secret: source, line 2 \(github/)
  assert.match(bad[2]!.reason, /only text/)
  assert.notInclude(JSON.stringify(bad), token)
  const { call: reader } = await organization(service, "FREE")
  assert.strictEqual((await matches(reader, "tenrec", {}, everyones))[0]?.code_block.name, "tenrec")
  // what stays at home is not looked through
  assert.strictEqual((await doing(false)).bad.length, 0)
  assert.isNotEmpty(await matches(call, "leaky"))
})

it("an import for everyone leaves out code of which a secret was told when it was stored in private", async () => {
  const { id, call } = await organization(service, "PRO")
  const source = "def quoll():\n    return 2\n"
  const own = { name: "quoll", source, language: "python" }
  const to = { tenant: id, secret: "s", home: id, workspace: null }
  const doing = (line: object, publish: boolean) =>
    service.run(
      Effect.scoped(importLines(readLines([Buffer.from(JSON.stringify(line))] as never), { ...to, publish }, ignored))
    )
  assert.strictEqual((await doing({ ...own, description: `Use ${token}.` }, false)).stored, 1)
  const { bad, merged } = await doing({ ...own, description: "Counts quolls." }, true)
  assert.strictEqual(merged, 0)
  assert.match(
    bad[0]!.reason,
    /^its code is stored already, and what was said of it then looks like it holds a secret: /
  )
  assert.include(bad[0]!.reason, "stored.description, line 1 (github")
  assert.notInclude(JSON.stringify(bad), token)
  const [found] = await matches(call, "quoll")
  assert.include(JSON.stringify(found), token)
  const { call: reader } = await organization(service, "FREE")
  assert.isEmpty(await matches(reader, "quoll", {}, everyones))
})
