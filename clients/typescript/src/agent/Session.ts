import { realpath } from "node:fs/promises"
import { resolve } from "node:path"
import type { Cairn } from "../Cairn.ts"
import type { Logger } from "../log.ts"
import { type ChangedFile, collect, type LeftFile } from "./collect.ts"
import { fileOf, type HookEvent } from "./events.ts"
import { logged } from "./logs.ts"
import { below, type Manifest, manifestOf } from "./manifest.ts"
import { CacheFolder, type OfferedFile, offer } from "./offer.ts"
import { redacted } from "./screen.ts"
import { isCopy, runsOf, Usage, type Verdict } from "./usage.ts"

/** What a success of a session led to. */
export interface SessionReport {
  readonly sessionId: string
  /** What was asked, since the last success. */
  readonly task: string
  /** Snippets that the session was offered so far. */
  readonly offered: ReadonlyArray<OfferedFile>
  /** Paths relative to the session's folder. */
  readonly uploaded: ReadonlyArray<string>
  /** Changed files that were not uploaded, and why. */
  readonly left: ReadonlyArray<LeftFile>
  readonly votes: ReadonlyArray<{ readonly codeBlockId: string; readonly succeeded: boolean }>
}

export interface SessionSettings {
  readonly client: Cairn
  readonly log: Logger
  readonly cacheDir: string | undefined
  /** Whether everybody may find what is uploaded. */
  readonly public: boolean
  /** Values that must not leave the machine. */
  readonly secrets: ReadonlyArray<string>
  /** Tells of trouble once for all sessions of one agent. */
  readonly warn: (what: string, error: unknown) => void
}

/** What happened since the last success: a turn that fails may be taken up by the next. */
interface Happened {
  readonly prompts: ReadonlyArray<string>
  /** Files that tools named, as absolute paths. */
  readonly named: ReadonlySet<string>
  /** Whether a tool ran that may have changed any file. */
  readonly anything: boolean
  readonly runs: ReadonlyMap<string, boolean>
  readonly log: ReadonlyArray<string>
}
const nothing: Happened = { prompts: [], named: new Set(), anything: false, runs: new Map(), log: [] }

const both = (first: Happened, then: Happened): Happened => ({
  prompts: [...first.prompts, ...then.prompts],
  named: new Set([...first.named, ...then.named]),
  anything: first.anything || then.anything,
  runs: new Map([...first.runs, ...then.runs]),
  log: [...first.log, ...then.log]
})

/** What is to be delivered when the turn turns out to be a success. */
interface Outcome {
  readonly of: Happened
  readonly task: string
  readonly files: ReadonlyArray<ChangedFile>
  readonly left: ReadonlyArray<LeftFile>
  readonly verdicts: ReadonlyArray<Verdict>
  readonly logs: string
  readonly after: Manifest | undefined
}

/** Tools that change no file, or name the one that they change. What else runs may change anything. */
const namesItsFile = new Set([
  ...["Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS", "TodoWrite", "WebFetch", "WebSearch"],
  ...["AskUserQuestion", "ExitPlanMode", "ToolSearch", "Skill"]
])
const writers = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"])
const mostTask = 4_000
const delivering = { timeout: 30_000 } as const

/** One agent session: what it was asked and offered, what its tools did, and what came of it. */
export class Session {
  readonly cache: CacheFolder
  readonly #id: string
  readonly #settings: SessionSettings
  readonly #usage = new Usage()
  #happened = nothing
  #root: string | undefined
  #before: Manifest | undefined
  #outcome: Outcome | undefined

  constructor(id: string, settings: SessionSettings) {
    this.#id = id
    this.#settings = settings
    this.cache = new CacheFolder(settings.cacheDir)
  }

  /** A prompt was sent: what the model may start from, as text; `""` when there is nothing. */
  async prompted({ prompt = "", cwd, source }: HookEvent): Promise<string> {
    const { client, warn } = this.#settings
    this.#root ??= await realpath(cwd).catch(() => resolve(cwd))
    const begins = this.#happened.prompts.length === 0 && this.#outcome === undefined
    this.#add({ prompts: [prompt] })
    const noted = begins ? this.#noteFiles() : undefined
    // the machine's own turns, such as that a task in the background ended
    const searched = source === undefined || source === "user" || source === "sdk"
    const found = searched
      ? await offer(client, this.cache, prompt).catch((error: unknown) => warn("No snippets could be offered", error))
      : undefined
    await noted
    if (found) this.#usage.offered(found.files)
    return found?.context ?? ""
  }

  #add(one: Partial<Happened>): void {
    this.#happened = both(this.#happened, { ...nothing, ...one })
  }

  async #noteFiles(): Promise<void> {
    this.#before = await manifestOf(this.#root!, this.#cacheFolder()).catch(() => undefined)
  }

  #cacheFolder(): string | undefined {
    return this.cache.path ?? (this.#settings.cacheDir === undefined ? undefined : resolve(this.#settings.cacheDir))
  }

  /** Whether a tool asks to read an offered file, which it may. */
  mayRead(event: HookEvent): boolean {
    return this.#usage.reads(event) !== undefined
  }

  /** A tool was used. */
  used(event: HookEvent, succeeded: boolean): void {
    const name = event.tool_name ?? ""
    const path = writers.has(name) && succeeded ? fileOf(event) : undefined
    this.#usage.used(event, succeeded)
    this.#add({
      named: new Set(path === undefined ? [] : [resolve(event.cwd, path)]),
      anything: !namesItsFile.has(name),
      runs: runsOf(event, succeeded)
    })
    this.#happened = { ...this.#happened, log: logged(this.#happened.log, event, succeeded) }
  }

  /** The turn ended: what it made is read now, before the next one changes it. Nothing is sent. */
  async stopped(): Promise<void> {
    const root = this.#root
    if (root === undefined) return
    this.failed()
    const happened = this.#happened
    this.#happened = nothing
    const cache = this.#cacheFolder()
    const after = await manifestOf(root, cache).catch(() => undefined)
    const named = new Set<string>()
    for (const path of happened.named) {
      const where = await realpath(path).catch(() => path)
      const name = cache !== undefined && below(cache, where) !== undefined ? undefined : below(root, where)
      if (name !== undefined) named.add(name)
    }
    const before = happened.anything ? this.#before : undefined
    const { files, left } = await collect(root, named, before, after, this.#settings.secrets)
    this.#outcome = {
      of: happened,
      task: redacted(happened.prompts.join("\n").trim(), this.#settings.secrets).slice(0, mostTask),
      files: files.filter(({ content }) => !this.#usage.all.some(({ source }) => isCopy(content, source))),
      left,
      verdicts: this.#usage.verdicts(
        files.map(({ absolute, content }) => ({ path: absolute, content })),
        happened.runs
      ),
      logs: redacted(happened.log.join("\n"), this.#settings.secrets),
      after
    }
  }

  /** The turn that stopped last failed: nothing of it is sent before the next success. */
  failed(): void {
    if (this.#outcome) this.#happened = both(this.#outcome.of, this.#happened)
    this.#outcome = undefined
  }

  /** The turn that stopped last was a success: its files and votes are sent. Never fails. */
  async succeeded(): Promise<SessionReport | undefined> {
    const outcome = this.#outcome
    if (outcome === undefined) return undefined
    this.#outcome = undefined
    this.#before = outcome.after
    const uploaded: Array<string> = []
    const votes: Array<{ readonly codeBlockId: string; readonly succeeded: boolean }> = []
    await this.#eachUntilTrouble("The session's files could not be uploaded", outcome.files, async (file) => {
      await this.#upload(outcome, file)
      uploaded.push(file.path)
    })
    await this.#eachUntilTrouble("The session's votes could not be cast", outcome.verdicts, async (verdict) => {
      await this.#vote(outcome.task, verdict)
      votes.push({ codeBlockId: verdict.file.codeBlockId, succeeded: verdict.succeeded })
    })
    const { task, left } = outcome
    this.#settings.log.debug("Session delivered", { uploaded: uploaded.length, left, votes })
    return { sessionId: this.#id, task, offered: this.#usage.all, uploaded, left, votes }
  }

  /** One that is refused says nothing of the next; a service that does not answer does. */
  async #eachUntilTrouble<T>(what: string, all: ReadonlyArray<T>, send: (one: T) => Promise<void>): Promise<void> {
    for (const one of all) {
      try {
        await send(one)
      } catch (error) {
        this.#settings.warn(what, error)
        if (!(error instanceof Error) || error.name === "CacheUnavailableError") return
      }
    }
  }

  async #upload({ task, logs }: Outcome, { path, content }: ChangedFile): Promise<void> {
    await this.#settings.client.upload(
      {
        task: task === "" ? path : task,
        fileWritten: { path, content },
        succeeded: true,
        ...(logs === "" ? {} : { executionLogs: logs }),
        ...(this.#settings.public ? { public: true } : {})
      },
      delivering
    )
  }

  async #vote(task: string, { file, succeeded }: Verdict): Promise<void> {
    const { codeBlockId, filename, description } = file
    await this.#settings.client.voteCodeSnip(
      { codeBlockId, succeeded, task, codeBlockName: filename, codeBlockDescription: description },
      delivering
    )
  }
}
