import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, it } from "vitest"
import { ownerKey, type Service, startService } from "#test/service.ts"

const run = promisify(execFile)
const root = fileURLToPath(new URL("../../..", import.meta.url))
const source = join(root, "clients/typescript")
/** TypeScript itself, without the project's plugin, on whatever runs the tests. */
const tsc = (folder: string, ...args: ReadonlyArray<string>) =>
  program([join(root, "node_modules/typescript/lib/tsc.js"), ...args], folder)
const program = (args: ReadonlyArray<string>, cwd: string, env: { readonly [name: string]: string } = {}) =>
  run(process.execPath, [...("Deno" in globalThis ? ["run", "-A"] : []), ...args], {
    cwd,
    env: { ...process.env, ...env }
  }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}${error.stderr}`)
  })

/** An empty project into which the built package is installed. */
let project: string
let service: Service
const environment = () => ({ CAIRN_API_KEY: ownerKey, CAIRN_BASE_URL: service.url })
beforeAll(async () => {
  service = await startService()
  project = mkdtempSync(join(tmpdir(), "cairn-consumer-"))
  const installed = join(project, "node_modules/cairn-client")
  mkdirSync(installed, { recursive: true })
  cpSync(join(source, "package.json"), join(installed, "package.json"))
  await tsc(root, "-p", join(source, "tsconfig.json"), "--outDir", join(installed, "dist"))
  cpSync(join(root, "node_modules/@types/node"), join(project, "node_modules/@types/node"), { recursive: true })
  cpSync(join(root, "node_modules/undici-types"), join(project, "node_modules/undici-types"), { recursive: true })
  writeFileSync(join(project, "package.json"), '{ "type": "module" }')
})
afterAll(async () => {
  await service.close()
  rmSync(project, { recursive: true, force: true })
})

const consumer = `
import Cairn, { APIError, type Clock, Cairn as Named, type SearchMatch } from "cairn-client"
import { agentAccessible, ExecutionState, RaySurfer, RaySurferError } from "cairn-client/compat"

const cairn: Named = new Cairn({ timeout: 5_000, fetch: globalThis.fetch, logger: console })
const { data, requestId } = await cairn.search({ task: "x", topK: 1 }).withResponse()
const matches: ReadonlyArray<SearchMatch> = data.matches
const versions: { readonly [name: string]: string } | undefined = matches[0]?.dependencies
const length: number = (await cairn.workspaces.list()).workspaces.length
const add = agentAccessible((a: number, b: number) => a + b)
const sum: number = add(1, 2)
const state: ExecutionState = ExecutionState.COMPLETED
const status = await new RaySurfer().retrieve({ task: "x" }).then(
  () => 200,
  (error: unknown) => (error instanceof APIError && error instanceof RaySurferError ? error.statusCode : 0)
)
// @ts-expect-error a search has a task
const wrong = () => cairn.search({ topK: 1 })
// @ts-expect-error a vote is 1 or -1
const vote = () => cairn.upload({ task: "x", fileWritten: { path: "a", content: "" }, succeeded: true, userVote: 2 })
// @ts-expect-error nothing internal is to be seen
const internal = () => cairn._send
// @ts-expect-error results are read-only
const write = () => (data.totalFound = 1)
const clock: Clock | undefined = undefined
console.log(JSON.stringify({ requestId: typeof requestId, length, sum, state, status, versions, clock }))
export { internal, vote, write, wrong }
`

it("type-checks in a strict project that checks its libraries too, with Node's types or the browser's", async () => {
  writeFileSync(join(project, "consumer.ts"), consumer)
  const strict = ["--module", "nodenext", "--target", "es2022", "--strict", "--exactOptionalPropertyTypes", "--noEmit"]
  await tsc(project, ...strict, "--types", "node", "--lib", "es2022", "--skipLibCheck", "consumer.ts")
  await tsc(project, ...strict, "--types", "", "--lib", "es2022,dom,dom.iterable", "consumer.ts")
})

it("runs there, against a service", async () => {
  writeFileSync(join(project, "consumer.ts"), consumer)
  await tsc(project, "--module", "nodenext", "--target", "es2022", "--types", "node", "--skipLibCheck", "consumer.ts")
  const { stdout } = await program(["consumer.js"], project, environment())
  assert.deepStrictEqual(JSON.parse(stdout), {
    ...{ requestId: "string", length: 0, sum: 3, state: "completed", status: 200 }
  })
})

it("has a README and an example that type-check, and the example runs", async () => {
  const readme = readFileSync(join(source, "README.md"), "utf8")
  const blocks = [...readme.matchAll(/```ts\n([^`]*(?:`[^`]+`[^`]*)*?)```/g)].map(([, code]) => code!)
  assert.strictEqual(blocks.length, readme.match(/^```ts$/gm)!.length)
  const names = blocks.map((code, index) => {
    const made = code.includes("new Cairn")
      ? ""
      : 'import { Cairn as Client } from "cairn-client"\ndeclare const cairn: Client\n'
    writeFileSync(join(project, `readme${index}.ts`), `${made}${code}\nexport {}\n`)
    return `readme${index}.ts`
  })
  cpSync(join(source, "examples/first-steps.ts"), join(project, "first-steps.ts"))
  const strict = ["--module", "nodenext", "--target", "es2022", "--strict", "--types", "node", "--skipLibCheck"]
  await tsc(project, ...strict, "--noEmit", ...names)
  await tsc(project, ...strict, "first-steps.ts")
  const { stdout } = await program(["first-steps.js"], project, environment())
  assert.match(
    stdout,
    /^Stored count_words\.\nFound count_words: \d+ %, 1 for it\.\nThe agent wrote count_words\.py\.\nCommit [0-9a-f]{7} keeps it\.\n$/
  )
})

it("holds what its exports name, and needs nothing", () => {
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"))
  const installed = join(project, "node_modules/cairn-client")
  const files = new Set(readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" }))
  const { "./package.json": _, ...entries } = manifest.exports
  for (const path of Object.values(entries).flatMap((entry) => Object.values(entry as object))) {
    assert.isTrue(files.has(String(path).replace("./dist/", "")), String(path))
  }
  assert.isUndefined(manifest.dependencies)
  const imports = [...files]
    .filter((path) => path.endsWith(".js"))
    .flatMap((path) => [
      ...readFileSync(join(installed, "dist", path), "utf8").matchAll(/(?:from|import\() ?"([^"]+)"/g)
    ])
    .map(([, name]) => name!)
  // the agent SDK is needed only by who starts a session, or asks for its names
  assert.deepStrictEqual(
    [...new Set(imports.filter((name) => !/^(\..*\.js$|node:)/.test(name)))],
    Object.keys(manifest.peerDependencies)
  )
  for (const path of Object.values(manifest.bin)) {
    assert.match(readFileSync(join(installed, String(path)), "utf8"), /^#!\/usr\/bin\/env node\n/)
  }
  assert.deepStrictEqual(manifest.peerDependenciesMeta, { "@anthropic-ai/claude-agent-sdk": { optional: true } })
})
