import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe } from "vitest"
import type { MessagesApi, MessagesRequest } from "../../../../../test/MessagesApi.ts"
import { ownerKey, type Service, startService } from "../../../../../test/service.ts"
import { type AgentMessage, CairnAgent, type CairnAgentOptions, type SessionReport } from "../../../src/agent/index.ts"
import { Cairn, type CairnOptions } from "../../../src/index.ts"
import { agentSdkIsInstalled, newFolder, removeFolder, sessionOptions, shown, startModel } from "../standIn.ts"

export const task = "count the words of a text file"
export const source = `import sys

def count_words(path: str) -> int:
    """Counts the words of a text file."""
    with open(path, encoding='utf-8') as lines:
        return sum(len(line.split()) for line in lines)

print(count_words(sys.argv[1]))
`
export const [search, upload, vote] = [
  "/api/retrieve/search",
  "/api/store/execution-result",
  "/api/store/cache-usage"
] as const

/** The tests of sessions with the agent SDK, where it is installed. */
export const withSdk = agentSdkIsInstalled ? describe : describe.skip
if (!agentSdkIsInstalled) console.warn("The agent SDK is not installed: its tests are skipped.")

/** The program that the SDK starts, as the test starts it: so that its end can be waited for. */
export const startedBy = (children: Array<ChildProcess>) => ({
  spawnClaudeCodeProcess: ({ command, args, cwd, env, signal }: never) => {
    children.push(spawn(command, args, { cwd, env, signal, stdio: ["pipe", "pipe", "ignore"] }))
    return children.at(-1)
  }
})
export const ended = async (children: ReadonlyArray<ChildProcess>): Promise<void> => {
  for (const child of children) if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
}

/** Prompts, each after the result of the one before: `answered` says that there is one. */
export const conversation = (prompts: ReadonlyArray<string>) => {
  let answered = (): void => {}
  const asks = async function* () {
    for (const content of prompts) {
      const result = new Promise<void>((resolve) => (answered = resolve))
      yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" } as never
      await result
    }
  }
  return { asks: asks(), answered: () => answered() }
}

export const resultOf = (messages: ReadonlyArray<AgentMessage>) => {
  const result = messages.findLast((message) => message.type === "result")
  return { is_error: result?.is_error ?? true, subtype: result?.subtype }
}

/** Where the model was told that a file lies. */
export const offeredPath = (request: MessagesRequest): string =>
  /→ `([^`]+\/count_words\.py)`/.exec(shown(request))![1]!

export const repositoryAt = (cwd: string): void => {
  for (const folder of ["objects", "refs"]) mkdirSync(join(cwd, ".git", folder), { recursive: true })
  writeFileSync(join(cwd, ".git/HEAD"), "ref: refs/heads/main\n")
}

/** A program that has a session, and what it printed. */
export const startProgram = (name: string, environment: object, ...args: ReadonlyArray<string>) => {
  const script = fileURLToPath(new URL(`../${name}`, import.meta.url))
  const child = spawn(process.execPath, [...("Deno" in globalThis ? ["run", "-A"] : []), script, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment }
  })
  const heard = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk: Uint8Array) => (heard.stdout += String(chunk)))
  child.stderr.on("data", (chunk: Uint8Array) => (heard.stderr += String(chunk)))
  return { child, heard }
}

/** The real service, and what a test of sessions has of it; for all tests of a file. */
export const useWorld = () => {
  let service: Service
  let home: string
  const folders: Array<string> = []
  const models: Array<MessagesApi> = []
  const folder = () => {
    folders.push(newFolder())
    return folders.at(-1)!
  }
  beforeAll(async () => {
    service = await startService()
    home = folder()
  })
  afterAll(async () => {
    for (const model of models) await model.close()
    await service.close()
    for (const path of folders) removeFolder(path)
  })

  const modelOf = async (...turns: Parameters<typeof startModel>) => {
    const model = await startModel(...turns)
    models.push(model)
    return model
  }
  /** A client of the service that notes what it asks for. */
  const noting = (options: CairnOptions = {}) => {
    const sent: Array<string> = []
    const fetch: NonNullable<CairnOptions["fetch"]> = (url, init) => {
      sent.push(new URL(url).pathname)
      return globalThis.fetch(url, init)
    }
    return { sent, client: new Cairn({ apiKey: ownerKey, baseUrl: service.url, fetch, ...options }) }
  }
  const optionsOf = (model: MessagesApi, cwd: string) => sessionOptions(model, cwd, home)
  const agentOf = (model: MessagesApi, cwd: string, client: Cairn, more: object = {}) => {
    const reports: Array<SessionReport> = []
    const options = { ...optionsOf(model, cwd), client, onReport: (one: SessionReport) => reports.push(one) }
    return { agent: new CairnAgent({ ...options, ...more } as unknown as CairnAgentOptions), reports }
  }
  /** The snippet as a session before this one may have left it. */
  const store = () =>
    noting().client.upload({ task, fileWritten: { path: "count_words.py", content: source }, succeeded: true })
  const stored = async () => {
    const { matches } = await noting().client.search({ task, topK: 20, minVerdictScore: 0 })
    return matches.find(({ codeBlock }) => codeBlock.source === source)
  }
  return { service: () => service, folder, modelOf, noting, optionsOf, agentOf, store, stored }
}
