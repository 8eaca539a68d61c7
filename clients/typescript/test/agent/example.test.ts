import { execFile } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { emptyProject, type Project, tsc } from "../../../../test/clients/typescript/project.ts"
import { calls, type MessagesApi } from "../../../../test/MessagesApi.ts"
import { ownerKey, type Service, startService } from "../../../../test/service.ts"
import { Cairn } from "../../src/index.ts"
import { agentSdkIsInstalled, newFolder, removeFolder, shown, startModel } from "./standIn.ts"

const own = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const source = "import sys\n\nprint(len(open(sys.argv[1], encoding='utf-8').read().split()))\n"

const real = agentSdkIsInstalled ? describe : describe.skip

real("the example of an agent session", () => {
  let service: Service
  let project: Project
  let home: string
  const models: Array<MessagesApi> = []
  beforeAll(async () => {
    home = newFolder()
    service = await startService()
    project = await emptyProject()
    cpSync(own("examples"), project.folder, { recursive: true })
    mkdirSync(join(project.folder, "node_modules/@anthropic-ai"))
    const sdk = "node_modules/@anthropic-ai/claude-agent-sdk"
    symlinkSync(own(sdk), join(project.folder, sdk))
  })
  afterAll(async () => {
    for (const model of models) await model.close()
    await service.close()
    project.remove()
    removeFolder(home)
  })

  /** Runs it as it stands, with nothing of this process's environment that would lead it elsewhere. */
  const run = async (file: string, ...turns: Parameters<typeof startModel>) => {
    const model = await startModel(...turns)
    models.push(model)
    const env = {
      PATH: process.env["PATH"],
      HOME: home,
      CAIRN_API_KEY: ownerKey,
      CAIRN_BASE_URL: service.url,
      ANTHROPIC_API_KEY: model.key,
      ANTHROPIC_BASE_URL: model.url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "0"
    }
    const args = [...("Deno" in globalThis ? ["run", "-A"] : []), file, join(home, "work")]
    return new Promise<{ code: number | string | null | undefined; stdout: string; stderr: string }>((resolve) =>
      execFile(process.execPath, args, { cwd: project.folder, env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : error.code, stdout, stderr })
      )
    )
  }

  it("type-checks", async () => {
    const strict = ["--module", "nodenext", "--target", "es2022", "--strict", "--types", "node", "--skipLibCheck"]
    await tsc(project.folder, ...strict, "--noEmit", "agent-session.ts")
  })

  it("lets the second session use what the first one wrote", async () => {
    const ran = await run("agent-session.ts", (request) => {
      if (!shown(request).includes("notes.txt have?")) {
        const file = join(home, "work/session-1/count_words.py")
        return [calls({ name: "Write", input: { file_path: file, content: source } })]
      }
      const offered = /→ `([^`]+\/count_words\.py)`/.exec(shown(request))![1]!
      return [calls({ name: "Bash", input: { command: `python3 ${offered} notes.txt` } })]
    })
    assert.deepStrictEqual({ code: ran.code, stderr: ran.stderr }, { code: 0, stderr: "" })
    assert.deepStrictEqual(ran.stdout.split("\n"), [
      "> Write count_words.py: it prints how many words the text file has that it is called with.",
      "  Write",
      "  Done.",
      "  offered 0, uploaded count_words.py",
      "> How many words does notes.txt have?",
      "  Bash",
      "  Done.",
      "  offered 1, uploaded nothing",
      "  voted up",
      ""
    ])
    const cairn = new Cairn({ apiKey: ownerKey, baseUrl: service.url })
    const { matches } = await cairn.search({ task: "print how many words a text file has", minVerdictScore: 0 })
    assert.strictEqual(matches.find(({ codeBlock }) => codeBlock.source === source)?.thumbsUp, 1)
  })

  it("is what the README's session does, too", async () => {
    const blocks = readFileSync(own("README.md"), "utf8").matchAll(/^```ts\n(.*?)^```$/gms)
    const [session = "", ...others] = [...blocks]
      .map(([, code]) => code!)
      .filter((code) => code.includes("new CairnAgent("))
    assert.deepStrictEqual(others, [])
    mkdirSync(join(home, "project"))
    writeFileSync(join(project.folder, "session.ts"), session.replace("/home/me/project", join(home, "project")))
    const content = "def words(text):\n    return text.split()\n"
    const file = join(home, "project/words.py")
    const ran = await run("session.ts", () => [calls({ name: "Write", input: { file_path: file, content } })])
    assert.deepStrictEqual(
      { code: ran.code, stdout: ran.stdout, stderr: ran.stderr },
      { code: 0, stdout: "done\n", stderr: "" }
    )
  })

  it("ends with a model that fails", async () => {
    const { code, stdout, stderr } = await run("agent-session.ts", () => [{ status: 401 }])
    assert.strictEqual(code, 1)
    assert.match(stderr, /^failed: /)
    assert.notInclude(stdout, "uploaded")
  })
})
