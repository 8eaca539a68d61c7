import { rmSync } from "node:fs"
import { lstat, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative, resolve, sep } from "node:path"
import { makeFolder } from "../codeFiles/makeFolder.ts"
import { ValidationError } from "../errors.ts"

/** Folders to remove when the program ends: the agent SDK does not tell hooks of the end of each session. */
const own = new Set<string>()
const removeOwn = (): void => {
  for (const path of own) rmSync(path, { recursive: true, force: true })
}

/**
 * Signals that end a program without its `exit`, where folders are removed, and where the agent SDK ends its own
 * processes. Whoever else listens decides what becomes of the program.
 */
const ends = ["SIGINT", "SIGTERM", "SIGHUP"] as const
const listeners = ends.map((signal) => {
  const ended = (): void => {
    const { process } = globalThis
    if (process.listenerCount(signal) > 1) return
    process.off(signal, ended)
    process.emit("exit", 0)
    process.kill(process.pid, signal)
  }
  return [signal, ended] as const
})

const remember = (path: string): void => {
  if (own.size === 0) {
    globalThis.process.on("exit", removeOwn)
    for (const [signal, ended] of listeners) globalThis.process.on(signal, ended)
  }
  own.add(path)
}

const forget = (path: string): void => {
  own.delete(path)
  if (own.size > 0) return
  globalThis.process.off("exit", removeOwn)
  for (const [signal, ended] of listeners) globalThis.process.off(signal, ended)
}

/** The folder that offered files lie in: the caller's, or one of the session's own, which goes with it. */
export class CacheFolder {
  readonly #given: string | undefined
  #real: string | undefined
  #making: Promise<string> | undefined
  #closed = false
  /** What the session wrote there, by name: all else is somebody's. */
  readonly written: Map<string, string> = new Map()

  constructor(given: string | undefined) {
    this.#given = given === undefined ? undefined : resolve(given)
  }

  /** Where it is, as soon as that is known: its real path, once it is made. */
  get path(): string | undefined {
    return this.#real ?? this.#given
  }

  /** Whether its session has ended: a search that was under way must not make it anew. */
  get closed(): boolean {
    return this.#closed
  }

  /**
   * The real path; made with the first call, for a session in this folder.
   * @throws ValidationError The caller's is a link, or holds the session's folder: files of the project would be
   *   replaced.
   */
  make(root: string): Promise<string> {
    this.#making ??= this.#make(root)
    return this.#making
  }

  async #make(root: string): Promise<string> {
    const given = this.#given
    if (given === undefined) {
      this.#real = await realpath(await mkdtemp(join(tmpdir(), "cairn-snippets-")))
      remember(this.#real)
      return this.#real
    }
    const link = await lstat(given).then(
      (stats) => stats.isSymbolicLink(),
      () => false
    )
    if (link) throw new ValidationError("cacheDir is a link; expected a folder, or a name that is free.", "cacheDir")
    await makeFolder(given)
    const real = await realpath(given)
    const [first] = relative(real, root).split(sep)
    if (first !== ".." && !/^[A-Za-z]:$/.test(first!)) {
      throw new ValidationError("cacheDir holds the session's folder; expected a folder of its own.", "cacheDir")
    }
    this.#real = real
    return real
  }

  /** Removes it, unless it is the caller's. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#making?.catch(() => {})
    const path = this.#real
    this.#making = undefined
    this.#real = undefined
    if (this.#given !== undefined || path === undefined) return
    await rm(path, { recursive: true, force: true })
    forget(path)
  }
}
