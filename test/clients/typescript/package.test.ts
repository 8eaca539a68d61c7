import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, it } from "vitest"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { emptyProject, type Project, run, source, tsc } from "./project.ts"

let project: Project
let service: Service
const environment = () => ({ CAIRN_API_KEY: ownerKey, CAIRN_BASE_URL: service.url })
beforeAll(async () => {
  project = await emptyProject()
  service = await startService()
})
afterAll(async () => {
  await service.close()
  project.remove()
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
  writeFileSync(join(project.folder, "consumer.ts"), consumer)
  const common = 'import { Cairn } from "cairn-client"\nexport const found = new Cairn().search({ task: "x" })\n'
  writeFileSync(join(project.folder, "common.cts"), common)
  const strict = [
    "--target",
    "es2022",
    "--strict",
    "--exactOptionalPropertyTypes",
    "--noUncheckedIndexedAccess",
    "--noEmit"
  ]
  const node = ["--types", "node", "--lib", "es2022"]
  await tsc(project.folder, ...strict, ...node, "--module", "nodenext", "consumer.ts", "common.cts")
  const browser = ["--types", "", "--lib", "es2022,dom,dom.iterable"]
  const bundler = ["--module", "esnext", "--moduleResolution", "bundler"]
  await tsc(project.folder, ...strict, ...browser, ...bundler, "consumer.ts")
})

it("runs there, against a service", async () => {
  writeFileSync(join(project.folder, "consumer.ts"), consumer)
  await tsc(
    project.folder,
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--types",
    "node",
    "--skipLibCheck",
    "consumer.ts"
  )
  const { stdout } = await run(["consumer.js"], project.folder, environment())
  assert.deepStrictEqual(JSON.parse(stdout), {
    requestId: "string",
    length: 0,
    sum: 3,
    state: "completed",
    status: 200
  })
})

it("is loaded by require, too", async () => {
  const program = `
    const { Cairn, ServiceError, default: Default } = require("cairn-client")
    const { RaySurferError } = require("cairn-client/compat")
    const same = [Cairn === Default, ServiceError === RaySurferError]
    new Cairn().search({ task: "x" }).then(({ matches }) => console.log(JSON.stringify([...same, matches.length])))
  `
  writeFileSync(join(project.folder, "common.cjs"), program)
  const { stdout } = await run(["common.cjs"], project.folder, environment())
  assert.deepStrictEqual(JSON.parse(stdout), [true, true, 0])
})

it("holds what its exports name, and needs nothing", () => {
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"))
  const { installed } = project
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
