import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { tsc } from "../../../test/clients/typescript/project.ts"
import { ownerKey, type Service, startService } from "../../../test/service.ts"
import { RaySurfer } from "../../typescript/src/compat/index.ts"
import { compiled, moved, namesOfTheSdk, programs, run } from "./page.ts"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const compat = at("../../typescript/src/compat/index.ts")
const withTheSdk = at("../../typescript/src/compat/agent.ts")
const folder = at("../.programs/")
const nameOf = (heading: string, index: number) => `${heading.toLowerCase().replace(/\W+/g, "-")}-${index}.ts`

describe("a program of the published package's page, with one changed import", () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    for (const [heading, found] of programs) {
      for (const [index, program] of found.entries()) {
        const settings = `apiKey: ${JSON.stringify(ownerKey)}, baseUrl: ${JSON.stringify(service.url)}`
        const module = namesOfTheSdk.includes(heading) ? withTheSdk : compat
        writeFileSync(`${folder}${nameOf(heading, index)}`, moved(program, module, settings))
      }
    }
  })
  afterAll(async () => {
    vi.restoreAllMocks()
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it("is run or compiled: each of the page", () => {
    assert.sameMembers([...programs.keys()], [...run, ...compiled])
  })

  it("compiles", async () => {
    const options = {
      target: "es2024",
      module: "nodenext",
      lib: ["es2024", "dom", "dom.iterable"],
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: ["node"],
      typeRoots: [at("../../../node_modules/@types")]
    }
    writeFileSync(`${folder}tsconfig.json`, JSON.stringify({ compilerOptions: options, include: ["*.ts"] }))
    await tsc(folder, "-p", folder)
  })

  it("runs", async () => {
    const said: Array<string> = []
    vi.spyOn(console, "log").mockImplementation((line) => void said.push(String(line)))
    // the first one votes on the first match of a search that it begins with
    const client = new RaySurfer({ apiKey: ownerKey, baseUrl: service.url })
    const content = "export const trending = (): string[] => []\n"
    await client.upload({
      task: "Fetch GitHub trending repos",
      fileWritten: { path: "trending.ts", content },
      succeeded: true,
      userVote: 1
    })
    for (const heading of run) {
      for (const index of programs.get(heading)!.keys())
        await import(pathToFileURL(`${folder}${nameOf(heading, index)}`).href)
    }
    assert.match(said[0]!, /^trending: 0\.\d+$/)
    const { matches } = await client.search({ task: "Fetch GitHub trending repos", topK: 50, minVerdictScore: 0 })
    const sources = matches.map(({ codeBlock }) => codeBlock.source)
    for (const source of ["function fetch() { ... }", content, "export const app"]) {
      assert.isTrue(
        sources.some((one) => one.includes(source)),
        source
      )
    }
    const voted = matches.find(({ codeBlock }) => codeBlock.source === content)!
    assert.deepStrictEqual([voted.thumbsUp, voted.thumbsDown], [2, 0])
  })
})
