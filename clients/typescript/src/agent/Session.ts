import { realpathSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { basename, resolve } from "node:path"
import type { Cairn } from "../Cairn.ts"
import { deadline } from "../deadline.ts"
import type { Logger } from "../log.ts"
import { CacheFolder } from "./cacheFolder.ts"
import { type Collected, collect, type LeftFile } from "./collect.ts"
import { deliver, type Parcel } from "./delivery.ts"
import { fileOf, type HookEvent, isAsked } from "./events.ts"
import { both, type Happened, isDuring, nothing, openOf, spansOf } from "./happened.ts"
import { logged, logsOf } from "./logs.ts"
import { below, changedSince, type Manifest, manifestOf, manifestOfFiles, remembered, withFiles } from "./manifest.ts"
import { type OfferedFile, offer } from "./offer.ts"
import { redacted, storable } from "./screen.ts"
import { Timeline } from "./timeline.ts"
import { isCopy, Usage } from "./usage.ts"

/** A vote of a session on a snippet that it used. */
export interface Vote {
  /** The snippet's id. */
  readonly codeBlockId: string
  /** Whether it helped. */
  readonly succeeded: boolean
}

/** What a success of a session led to. */
export interface SessionReport {
  /** The agent SDK's. */
  readonly sessionId: string
  /** What was asked, since the last success. */
  readonly task: string
  /** Snippets that the session was offered so far. */
  readonly offered: ReadonlyArray<OfferedFile>
  /** Paths relative to the session's folder; of offered files that were changed, their names in the cache folder. */
  readonly uploaded: ReadonlyArray<string>
  /** Changed files that were not uploaded, and why. */
  readonly left: ReadonlyArray<LeftFile>
  /** Those that were sent. */
  readonly votes: ReadonlyArray<Vote>
}

export interface SessionSettings {
  readonly client: Cairn
  readonly log: Logger
  readonly cacheDir: string | undefined
  /** Whether everybody may find what is uploaded. */
  readonly public: boolean
  /** Values that must not leave the machine. */
  readonly secrets: ReadonlyArray<string>
  /** Tells of trouble once. */
  readonly warn: (what: string, error: unknown) => void
}

/** What is to be delivered when the turn turns out to be a success. */
interface Outcome extends Parcel {
  readonly of: Happened
  readonly left: ReadonlyArray<LeftFile>
  readonly after: Manifest | undefined
  /** Offered files that were changed, as they are now. */
  readonly changed: Manifest
}

const writers = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"])
const mostTask = 4_000
/** Milliseconds that a prompt waits for a search, and that no other does after one that was not answered in time. */
const searching = 5_000
const resting = 60_000

/** The path without links on its way; at once, so that nothing comes between a turn's end and what is read then. */
const real = (folder: string): string => {
  try {
    return realpathSync(folder)
  } catch {
    return resolve(folder)
  }
}

/** One agent session: what it was asked and offered, what its tools did, and what came of it. */
export class Session {
  readonly cache: CacheFolder
  /** When its last event came, by `performance.now()`. */
  heard: number = performance.now()
  readonly #id: string
  readonly #settings: SessionSettings
  readonly #usage = new Usage()
  readonly #timeline = new Timeline()
  #happened = nothing
  #task = ""
  #root: string | undefined
  /** The folder of the first event that was no prompt. */
  #begun: string | undefined
  #before: Manifest | undefined
  /** Offered files as they were written, or as they last were sent. */
  #offered: Manifest = manifestOfFiles([])
  #outcome: Outcome | undefined
  #restsUntil = 0
  /** How the last turn ended, unless something happened since. */
  #turn: "under way" | "ended" | "failed" = "ended"
  /** Ends of turns that are being read or delivered. */
  #ending = 0

  constructor(id: string, settings: SessionSettings) {
    this.#id = id
    this.#settings = settings
    this.cache = new CacheFolder(settings.cacheDir)
  }

  /** Whether nothing is lost with it but what it was offered: all turns have ended and were delivered, none goes on. */
  get rests(): boolean {
    return this.#turn !== "under way" && this.#isTaken && this.#happened === nothing
  }

  /** Whether its last turn failed, and none goes on: what it did is lost with it, unless the next one succeeds. */
  get hasFailed(): boolean {
    return this.#turn === "failed" && this.#isTaken
  }

  /** Whether all turns that have ended were taken up. */
  get #isTaken(): boolean {
    return this.#ending === 0 && this.#outcome === undefined
  }

  /** A prompt was sent: what the model may start from, as text; `""` when there is nothing. */
  async prompted(event: HookEvent): Promise<string> {
    this.#turn = "under way"
    this.#timeline.passed(event)
    this.#root ??= real(event.cwd)
    const begins = this.#happened === nothing && this.#outcome === undefined
    const noted = begins ? this.#noteFiles(this.#root) : undefined
    const context = isAsked(event) ? await this.#asked(event.prompt ?? "", this.#root) : ""
    await noted
    return context
  }

  async #asked(prompt: string, root: string): Promise<string> {
    const { client, log, secrets, warn } = this.#settings
    const task = storable(redacted(prompt, secrets))
    this.#happened = both(this.#happened, { ...nothing, prompts: [task] })
    if (performance.now() < this.#restsUntil) return ""
    const signal = deadline(searching)
    try {
      const { context, files } = await offer(client, log, this.cache, root, task, signal)
      this.#usage.offered(files)
      this.#offered = withFiles(this.#offered, manifestOfFiles(files.map(({ path }) => path)))
      log.debug("Session offered snippets", { count: files.length })
      return context
    } catch (error) {
      if (signal.aborted) this.#restsUntil = performance.now() + resting
      warn("No snippets could be offered", error)
      return ""
    }
  }

  async #noteFiles(root: string): Promise<void> {
    // what could not be looked through in time once is not again: each prompt would wait for it
    if (this.#before?.whole === false) return
    const before = await manifestOf(root, this.cache.path, this.#before)
    this.#before = before.whole ? before : remembered(before)
    if (!before.whole) this.#settings.log.debug("Session in a folder too large to look through", { root })
  }

  /** Whether a tool asks to read an offered file, which it may. */
  mayRead(event: HookEvent): boolean {
    this.#turn = "under way"
    return this.#usage.reads(event) !== undefined
  }

  /** A tool was used. */
  used(event: HookEvent, succeeded: boolean): void {
    this.#turn = "under way"
    this.#begun ??= event.cwd
    const moment = this.#timeline.passed(event)
    const path = succeeded && writers.has(event.tool_name ?? "") ? fileOf(event) : undefined
    const happened = both(this.#happened, {
      ...nothing,
      named: path === undefined ? [] : [resolve(moment.folder, path)],
      spans: spansOf(event, moment),
      runs: this.#usage.used(event, moment.folder, succeeded)
    })
    this.#happened = { ...happened, log: logged(happened.log, event, succeeded, this.#settings.secrets) }
  }

  /** The turn ended: what it made is read now, before the next one changes it. Nothing is sent. */
  async stopped(event: HookEvent): Promise<void> {
    this.#turn = "ended"
    this.#takeBack()
    const root = this.#root ?? real(this.#begun ?? event.cwd)
    await this.#ends(() => this.#read(event, root))
  }

  async #ends<A>(end: () => Promise<A>): Promise<A> {
    this.#ending++
    try {
      return await end()
    } finally {
      this.#ending--
    }
  }

  async #read(event: HookEvent, root: string): Promise<void> {
    const happened = this.#happened
    const open = openOf(happened.spans, event)
    this.#happened = open.length === 0 ? nothing : { ...nothing, spans: open }
    const { spans, prompts, log, runs } = happened
    const after =
      spans.length > 0 && this.#before?.whole ? await manifestOf(root, this.cache.path, this.#before) : undefined
    const made = this.#before && after ? changedSince(this.#before, after, (time) => isDuring(spans, time)) : []
    const { secrets } = this.#settings
    const own = await collect(root, await this.#below(root, happened.named), made, secrets)
    const changed = manifestOfFiles(this.#usage.changed.map(({ path }) => path))
    const offered = await this.#changed(happened, changed, own)
    const files = [...own.files, ...offered.files]
    const left = [...own.left, ...offered.left]
    // a turn of the machine's own, such as when a subagent ends, goes on with what was asked before
    this.#task = prompts.length > 0 ? storable(prompts.join("\n").trim().slice(0, mostTask)) : this.#task
    const paths = files.map(({ path }) => path)
    this.#outcome = {
      of: happened,
      task: this.#task,
      files: files
        .filter(({ content }) => !this.#usage.all.some(({ source }) => isCopy(content, source)))
        .map((file) => ({ ...file, logs: logsOf(log, file.path, paths) })),
      left,
      verdicts: this.#usage.verdicts(files, runs),
      public: this.#settings.public,
      after,
      changed
    }
  }

  /** What the session made of offered files in their place: sent by the same rules as its own, and after them. */
  async #changed({ named, spans }: Happened, changed: Manifest, own: Collected): Promise<Collected> {
    const cache = this.cache.path
    if (cache === undefined || changed.files.size === 0) return { files: [], left: [] }
    const paths = await Promise.all(named.map((path) => realpath(path).catch(() => path)))
    // a file of the session that was only copied over one is none of its works
    const before = withFiles({ files: this.#before?.files ?? new Map(), whole: true }, this.#offered)
    const made = changedSince(before, changed, (time) => isDuring(spans, time))
    return collect(
      cache,
      new Set(paths.filter((path) => changed.files.has(path)).map((path) => basename(path))),
      made.map((path) => basename(path)),
      this.#settings.secrets,
      own.files
    )
  }

  /**
   * Files that tools named, as the manifest has them: without those outside of the session's folder, and in the cache
   * folder, where only offered files may be works of the session.
   */
  async #below(root: string, paths: ReadonlyArray<string>): Promise<ReadonlySet<string>> {
    const cache = this.cache.path
    const names = new Set<string>()
    for (const path of new Set(paths)) {
      const where = await realpath(path).catch(() => path)
      const name = cache !== undefined && below(cache, where) !== undefined ? undefined : below(root, where)
      if (name !== undefined) names.add(name)
    }
    return names
  }

  /** The turn that stopped last failed: nothing of it is sent before the next success. */
  failed(): void {
    // a turn that has begun since is another one
    if (this.#outcome === undefined || this.#turn !== "under way") this.#turn = "failed"
    this.#takeBack()
  }

  #takeBack(): void {
    if (this.#outcome) this.#happened = both(this.#outcome.of, this.#happened)
    this.#outcome = undefined
  }

  /** The turn that stopped last was a success: its files and votes are sent. Never fails. */
  async succeeded(): Promise<SessionReport | undefined> {
    const outcome = this.#outcome
    if (outcome === undefined) return undefined
    this.#outcome = undefined
    this.#before = outcome.after ?? this.#before
    // the next prompt looks anew, unless something goes on
    if (this.#before && this.#happened === nothing) this.#before = remembered(this.#before)
    this.#offered = withFiles(this.#offered, outcome.changed)
    const { client, log, warn } = this.#settings
    const { task, left } = outcome
    const parcel = { ...outcome, verdicts: this.#usage.take(outcome.verdicts) }
    const { uploaded, voted } = await this.#ends(() => deliver(client, parcel, warn))
    const votes = voted.map(({ file, succeeded }) => ({ codeBlockId: file.codeBlockId, succeeded }))
    log.debug("Session delivered", { uploaded: uploaded.length, left, votes })
    return { sessionId: this.#id, task, offered: this.#usage.all, uploaded, left, votes }
  }
}
