import { assert, describe, it } from "@effect/vitest"
import { Console, Effect, Exit } from "effect"
import { cairn } from "#src/cli/cairn.ts"
import { cairn as spawned } from "#src/cli/demo/programs.ts"
import { Surroundings } from "#src/cli/surroundings.ts"
import { inProcess } from "./cairn.ts"

const run = (...args: ReadonlyArray<string>) => inProcess({ CAIRN_URL: "http://127.0.0.1:9", CAIRN_API_KEY: "k" }, args)
const told = async (...args: ReadonlyArray<string>) => {
  const { code, out, err } = await run(...args)
  assert.deepStrictEqual([code, out], [1, ""])
  assert.match(err, /^cairn: .*\n$/)
  return err.slice("cairn: ".length, err.includes(" (see") ? err.indexOf(" (see") : undefined)
}

describe("what works on a data folder only", () => {
  const refusal = (name: string) =>
    `\`cairn ${name}\` works on a data folder of this machine, and CAIRN_URL names a service: unset it, or run this beside the service.`

  it("says so where a service is named: verbs, and subcommands of verbs that ask it", async () => {
    for (const args of [
      ["events"],
      ["org", "list"],
      ["org", "list", "--json"],
      ["org", "create", "--name", "Acme", "--tier", "PRO", "--owner-email", "a@b.test"],
      ["--json", "org", "create"]
    ]) {
      const name = args.filter((arg) => !arg.startsWith("--")).slice(0, args.includes("org") ? 2 : 1)
      assert.strictEqual(await told(...args), `${refusal(name.join(" "))}\n`, args.join(" "))
    }
    // what a service has is asked for, whatever is in its flags, and what neither has is nothing
    assert.match(await told("org", "rename", "--name", "list"), /127\.0\.0\.1:9/)
    assert.match(await told("org", "nothing"), /Unknown subcommand "nothing"/)
  })

  it("has its help all the same", async () => {
    const lines: Array<string> = []
    // where help goes to
    const heard = { ...console, log: (line: string) => void lines.push(line) }
    const around = { env: { CAIRN_URL: "http://127.0.0.1:9" }, stdout: process.stdout, stderr: process.stderr }
    const asked = cairn(["org", "create", "--help"]).pipe(
      Effect.provideService(Console.Console, heard),
      Effect.provideService(Surroundings, around)
    )
    assert.isTrue(Exit.isSuccess(await Effect.runPromise(Effect.exit(asked))))
    assert.include(lines.join("\n"), "--owner-email")
  })

  it("is the reason where a service takes no such flag or argument", async () => {
    const why = "CAIRN_URL is set, so it asks that service"
    for (const [args, said] of [
      [["key", "list", "--org", "Acme"], "Unrecognized flag: --org in command cairn key list"],
      [["org", "show", "acme"], 'Unexpected positional argument: "acme"']
    ] as const) {
      const { err } = await run(...args)
      assert.strictEqual(err, `cairn: ${said} (see \`cairn ${args.slice(0, 2).join(" ")} --help\`; ${why})\n`)
    }
    // and of no verb that always asks
    assert.notInclude((await run("vote", "i", "up", "--org", "Acme")).err, why)
    assert.notInclude((await inProcess({ CAIRN_URL: "" }, ["key", "list", "--nothing"])).err, why)
  })
})

describe("what has to be given", () => {
  it("is asked for at once, whatever else is there", async () => {
    const all = "Missing required flags: --org-id, --user-id"
    assert.strictEqual(await told("chat"), `Missing required argument: query; ${all}`)
    assert.strictEqual(await told("chat", "hello", "--json"), all)
    assert.strictEqual(await told("chat", "--model", "local", "--max-turns=3", "hello"), all)
    assert.strictEqual(await told("chat", "hello", "--user-id", "ann"), "Missing required flag: --org-id")
    assert.strictEqual(await told("--log-level", "debug", "key", "create"), "Missing required flags: --email, --name")
    assert.strictEqual(await told("vote", "--task", "t"), "Missing required arguments: id, vote")
    assert.strictEqual(await told("vote", "i", "--task=t"), "Missing required argument: vote")
    assert.strictEqual(await told("upload", "--public", "--task", "t"), "Missing required argument: file")
    assert.strictEqual(await told("upload", "--public", "a.py", "--", "-b.py"), "Missing required flag: --task")
  })

  it("is told by the parser where it is not missing but wrong", async () => {
    assert.match(await told("vote", "i", "sideways"), /sideways/)
    assert.match(await told("search", "x", "--limit", "many"), /limit/)
  })

  it("is marked in help", async () => {
    const { out } = await spawned("nowhere", "chat", "--help")
    const marked = out.split("\n").flatMap((line) => (line.includes("(required)") ? [line.trim().split(/\s+/)[0]] : []))
    assert.deepStrictEqual(marked, ["query", "--org-id", "--user-id"])
  })

  it("has no flag that may be left out, also of those that may be given several times", async () => {
    assert.strictEqual(await told("key", "create"), "Missing required flags: --email, --name")
    const here = await inProcess({ CAIRN_URL: "" }, ["key", "create"])
    assert.match(here.err, /^cairn: Missing required flags: --email, --name \(/)
    assert.notMatch((await spawned("nowhere", "bounds", "set", "--help")).out, /--model.*\(required\)/)
  })

  it("is nothing where all verbs are listed, which loads none of them", async () => {
    const { code, out } = await spawned("nowhere", "--help")
    assert.strictEqual(code, 0)
    for (const verb of ["search", "chat", "upload", "vote", "snippet", "workspace", "key", "backup"]) {
      assert.match(out, new RegExp(`^ {2}${verb} +\\w`, "m"))
    }
    assert.match((await spawned("nowhere", "--completions", "bash")).out, /--org-id/)
    assert.match(await told("nothing"), /nothing/)
  })
})
