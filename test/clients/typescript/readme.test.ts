import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { calls, type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { Cairn } from "../../../clients/typescript/src/index.ts"
import { emptyProject, type Project, run, source, tsc } from "./project.ts"

const readme = readFileSync(join(source, "README.md"), "utf8")
const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code!)
/** Those of the agent SDK, which is not installed here: their own tests run such sessions. */
const needsAgentSdk = (code: string) => code.includes("cairn-client/agent")
/** Most go on from the first one's client. */
const begun = (code: string) =>
  code.includes("new Cairn")
    ? code
    : `import { Cairn as Client } from "cairn-client"\nconst cairn = new Client()\n${code}`
const parts = blocks.map((block, index) => ({
  title: `${index + 1}, ${block.split("\n")[0]}`,
  file: `readme${index + 1}.ts`,
  code: `${begun(block)}export {}\n`
}))

let api: MessagesApi
let service: Service
let project: Project
const environment = () => ({ CAIRN_API_KEY: ownerKey, CAIRN_BASE_URL: service.url })
beforeAll(async () => {
  project = await emptyProject()
  api = await startMessagesApi(({ body }) =>
    body.messages.length === 1
      ? calls({ name: "Write", input: { file_path: "rename.py", content: "print('renamed')\n" } })
      : says("Done.")
  )
  service = await startService({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url })
  for (const { code, file } of parts) {
    const own = code.replaceAll("cairn_live_…", ownerKey).replaceAll("http://127.0.0.1:8080", service.url)
    writeFileSync(join(project.folder, file), own)
  }
  cpSync(join(source, "examples"), project.folder, { recursive: true })
})
afterAll(async () => {
  await service.close()
  await api.close()
  project.remove()
})

it("the example runs", async () => {
  const strict = ["--module", "nodenext", "--target", "es2022", "--strict", "--types", "node", "--skipLibCheck"]
  await tsc(project.folder, ...strict, "--noEmit", "first-steps.ts")
  const { stdout } = await run(["first-steps.ts"], project.folder, environment())
  assert.match(
    stdout,
    /^Stored count_words\.\nFound count_words: \d+ %, 1 for it\.\nThe agent wrote count_words\.py\.\nCommit [0-9a-f]{7} keeps it\.\n$/
  )
})

describe("the README", () => {
  beforeAll(async () => {
    const cairn = new Cairn({ apiKey: ownerKey, baseUrl: service.url })
    const content = "import csv\n\n\ndef rows(path):\n    return list(csv.reader(open(path)))\n"
    await cairn.upload({
      task: "parse a CSV file into rows",
      fileWritten: { path: "rows.py", content },
      succeeded: true
    })
  })

  it("is understood here: each part of TypeScript is found", () => {
    assert.strictEqual(blocks.length, readme.match(/^```ts$/gm)!.length)
    assert.isAbove(parts.filter(({ code }) => !needsAgentSdk(code)).length, 7)
  })

  it("type-checks", async () => {
    const strict = ["--module", "nodenext", "--target", "es2022", "--strict", "--types", "node", "--skipLibCheck"]
    await tsc(project.folder, ...strict, "--noEmit", ...parts.map(({ file }) => file))
  })

  it.each(parts.filter(({ code }) => !needsAgentSdk(code)))("runs as it stands: $title", async ({ file }) => {
    await run([file], project.folder, environment())
  })
})
