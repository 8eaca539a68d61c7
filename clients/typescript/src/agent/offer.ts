import { rmSync } from "node:fs"
import { lstat, mkdir, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Cairn } from "../Cairn.ts"
import type { CodeFile } from "../codeFiles/getCodeFiles.ts"
import { promptOf } from "../codeFiles/prompt.ts"
import { ValidationError } from "../errors.ts"

/** A snippet that the session was offered, at its place in the cache folder. */
export interface OfferedFile {
  readonly codeBlockId: string
  readonly filename: string
  /** Absolute and real. */
  readonly path: string
  readonly source: string
  readonly description: string
}

/** Characters: the agent SDK turns a longer context into a pointer to a file, which the model need not follow. */
const mostContext = 9_000
const mostDescription = 400
/** Characters of a prompt that are searched for. */
const mostTask = 2_000

/** A client that gives up before the session would notice. */
export const searching = { timeout: 10_000, maxRetries: 1 } as const

/** Folders to remove when the program ends: the agent SDK does not tell hooks of the end of each session. */
const own = new Set<string>()
const removeOwn = () => {
  for (const path of own) rmSync(path, { recursive: true, force: true })
}

/** The folder that offered files lie in: the caller's, or one of the session's own, which goes with it. */
export class CacheFolder {
  readonly #given: string | undefined
  #path: string | undefined
  #making: Promise<string> | undefined

  constructor(given: string | undefined) {
    this.#given = given
  }

  /** The real path, once there is one. */
  get path(): string | undefined {
    return this.#path
  }

  /** The real path; made with the first call. */
  make(): Promise<string> {
    this.#making ??= this.#make()
    return this.#making
  }

  async #make(): Promise<string> {
    if (this.#given === undefined) {
      this.#path = await realpath(await mkdtemp(join(tmpdir(), "cairn-snippets-")))
      if (own.size === 0) globalThis.process?.once("exit", removeOwn)
      own.add(this.#path)
    } else {
      const link = await lstat(this.#given).then(
        (stats) => stats.isSymbolicLink(),
        () => false
      )
      if (link) throw new ValidationError("cacheDir is a link; expected a folder, or a name that is free.", "cacheDir")
      await mkdir(this.#given, { recursive: true })
      this.#path = await realpath(this.#given)
    }
    return this.#path
  }

  /** Removes it, unless it is the caller's. */
  async close(): Promise<void> {
    const path = await this.#making?.catch(() => undefined)
    this.#making = undefined
    this.#path = undefined
    if (this.#given !== undefined || path === undefined) return
    await rm(path, { recursive: true, force: true })
    own.delete(path)
    if (own.size === 0) globalThis.process?.off("exit", removeOwn)
  }
}

const listed = (files: ReadonlyArray<CodeFile>): string => {
  const short = files.map((file) => ({
    ...file,
    description: file.description.slice(0, mostDescription),
    dependencies: Object.fromEntries(Object.entries(file.dependencies).slice(0, 10))
  }))
  for (let count = short.length; count > 0; count--) {
    const text = promptOf(short.slice(0, count))
    if (text.length <= mostContext) return text.trim()
  }
  return ""
}

/** Searches for a prompt, and puts what is found into the cache folder. The context names the files, not their code. */
export const offer = async (
  client: Cairn,
  cache: CacheFolder,
  prompt: string
): Promise<{ readonly context: string; readonly files: ReadonlyArray<OfferedFile> }> => {
  const task = prompt.trim().slice(0, mostTask)
  if (task === "" || task.startsWith("/")) return { context: "", files: [] }
  const { files } = await client.getCodeFiles(
    {
      ...{ task, topK: 5, minVerdictScore: 0.3, preferComplete: true },
      // remarks above functions would be uploaded with what is built on them
      perFunctionReputation: false,
      cacheDir: await cache.make()
    },
    searching
  )
  const written = files.filter(({ path }) => path !== null)
  return {
    context: listed(written),
    files: written.map(({ codeBlockId, filename, path, source, description }) => ({
      ...{ codeBlockId, filename, path: path!, source, description }
    }))
  }
}
