import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterEach, beforeEach } from "vitest"
import { type Reply, stub } from "../../../../test/clients/typescript/stub.ts"
import { cairnHooks, type HookEvent, type SessionReport } from "../../src/agent/index.ts"
import { newFolder, removeFolder } from "./standIn.ts"

export const source = "def add_numbers(a, b):\n    return sum([a, b])\n\nprint(add_numbers(1, 2))\n"

/** What a search finds. `more` is of the match, `block` of its code. */
export const match = (id: string, filename: string, more: object = {}, block: object = {}) => ({
  code_block: {
    id,
    name: filename,
    description: `Adds numbers (${id}).`,
    source,
    entrypoint: "add_numbers",
    language: "python",
    ...block
  },
  score: 0.9,
  offered: true,
  thumbs_up: 0,
  thumbs_down: 0,
  filename,
  language: "python",
  entrypoint: "add_numbers",
  ...more
})
export const found = (...matches: ReadonlyArray<object>): Reply => ({
  status: 200,
  body: { matches, total_found: matches.length, cache_hit: false }
})
export const stored: Reply = {
  status: 200,
  body: { success: true, code_blocks_stored: 1, message: "", vote_pending: true }
}

/** New folders for each test of a file. */
export const useFolders = (): { readonly cwd: string; readonly cacheDir: string } => {
  const folders = { cwd: "", cacheDir: "" }
  beforeEach(() => void Object.assign(folders, { cwd: newFolder(), cacheDir: newFolder() }))
  afterEach(() => {
    removeFolder(folders.cwd)
    removeFolder(folders.cacheDir)
  })
  return folders
}

/** Until the clock is past what the file system's may be behind it: what happened so far is before all that follows. */
export const later = async (): Promise<void> => {
  const from = Date.now()
  while (Date.now() - from < 25) await new Promise((resolve) => setImmediate(resolve))
}

interface Where {
  readonly cwd: string
  readonly cacheDir: string | undefined
}

/** A session of fake events: what a service answers, and what it was sent. After `replies` everything is stored. */
export const sessionWith = ({ cwd, cacheDir }: Where, replies: ReadonlyArray<Reply>, options: object = {}) => {
  const service = stub([...replies, stored])
  const reports: Array<SessionReport> = []
  const warnings: Array<string> = []
  const quiet = { debug: () => {}, info: () => {}, error: () => {} }
  const logger = {
    ...quiet,
    warn: (line: string, details?: unknown) => void warnings.push(`${line} ${JSON.stringify(details)}`)
  }
  const hooks = cairnHooks(service.cairn, { cacheDir, logger, onReport: (one) => void reports.push(one), ...options })
  const happens = async (hook_event_name: keyof typeof hooks, event: Partial<HookEvent> = {}) =>
    hooks[hook_event_name][0]!.hooks[0]!({ hook_event_name, session_id: "s", cwd, ...event })
  /** What the model is told. */
  const prompt = async (text = "add two numbers", event: Partial<HookEvent> = {}): Promise<string> => {
    const { hookSpecificOutput } = await happens("UserPromptSubmit", { prompt: text, ...event })
    return (hookSpecificOutput as { additionalContext: string } | undefined)?.additionalContext ?? ""
  }
  const tool = (tool_name: string, tool_input: object, event: Partial<HookEvent> = {}) =>
    happens(event.error === undefined ? "PostToolUse" : "PostToolUseFailure", {
      tool_name,
      tool_input,
      tool_response: {},
      ...event
    })
  const puts = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), content)
  }
  const writes = (path: string, content: string) => {
    puts(path, content)
    return tool("Write", { file_path: join(cwd, path), content })
  }
  const bash = (command: string, event: Partial<HookEvent> = {}) => tool("Bash", { command }, event)
  /** Routes that were asked for, by their last words. */
  const asked = () => service.sent.map(({ url }) => new URL(url).pathname.split("/").at(-1))
  const votes = () =>
    service.sent
      .filter(({ url }) => url.endsWith("cache-usage"))
      .map(({ body }) => [body.code_block_id, body.succeeded])
  const uploads = () =>
    service.sent
      .filter(({ url }) => url.endsWith("execution-result"))
      // biome-ignore lint/suspicious/noExplicitAny: a request is looked at field by field
      .map(({ body }) => body as { [name: string]: any })
  return { ...service, hooks, happens, prompt, tool, puts, writes, bash, reports, warnings, asked, votes, uploads }
}
