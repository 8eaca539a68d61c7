import { realpath } from "node:fs/promises"
import type { Cairn } from "../Cairn.ts"
import type { CodeFile } from "../codeFiles/CodeFile.ts"
import { promptOf } from "../codeFiles/prompt.ts"
import { writeFiles } from "../codeFiles/write.ts"
import type { Logger } from "../log.ts"
import type { CacheFolder } from "./cacheFolder.ts"
import { readFile } from "./manifest.ts"
import { storable } from "./screen.ts"

/** A snippet that the session was offered, at its place in the cache folder. */
export interface OfferedFile {
  /** The snippet's id. */
  readonly codeBlockId: string
  /** Its name in the cache folder. */
  readonly filename: string
  /** Absolute and real. */
  readonly path: string
  /** All of its code. */
  readonly source: string
  /** What the code does, as the store tells it. */
  readonly description: string
}

/** Whether an offered file still is what was offered: the model may have made something else of it. */
export const isUnchanged = ({ path, source }: OfferedFile): boolean => {
  const offered = new TextEncoder().encode(source)
  return readFile(path, offered.length)?.equals(offered) === true
}

/**
 * Characters: the agent SDK turns a context of more than 10,000 into a pointer to a file, which the model need not
 * follow.
 */
const mostContext = 9_000
const mostDescription = 400
const mostName = 200
const mostDependencies = 10
/** Characters of a prompt that are searched for. */
const mostTask = 2_000

/**
 * A name that a model may put into a command as it is: a shell reads nothing else out of it, and it is no option, no
 * hidden file, and no file from which an agent takes instructions.
 */
const isPlainName = (name: string): boolean =>
  /^[\p{L}\p{N}_[(][\p{L}\p{N}\p{M}_.+@=, ()[\]-]*$/u.test(name) &&
  !/^(claude(\.local)?|agents|gemini)\.md$/i.test(name)

const cut = (text: string, most: number): string => storable(text.slice(0, most))

/** What the model is told: names, places and descriptions, not the code. As many of them, best first, as fit. */
const listed = (files: ReadonlyArray<CodeFile>): { readonly context: string; readonly count: number } => {
  const short = files.map((file) => ({
    ...file,
    description: cut(file.description, mostDescription),
    language: cut(file.language, mostName),
    entrypoint: cut(file.entrypoint, mostName),
    dependencies: Object.fromEntries(
      Object.entries(file.dependencies)
        .slice(0, mostDependencies)
        .map(([name, version]) => [cut(name, mostName), cut(version, mostName)])
    )
  }))
  for (let count = short.length; count > 0; count--) {
    const context = promptOf(short.slice(0, count)).trim()
    if (context.length <= mostContext) return { context, count }
  }
  return { context: "", count: 0 }
}

/** What is offered for a prompt; `context` is `""` when there is nothing. */
export interface Offer {
  readonly context: string
  readonly files: ReadonlyArray<OfferedFile>
}

/**
 * What separates a task from the conversation that led to it: what was said before is no part of what is searched for.
 */
export const saidBefore = "\n\nThe conversation so far:\n\n"

/**
 * Searches for a prompt, and puts what is found into the cache folder of a session in `root`. A file there that the
 * session did not write, or that was changed since, stays: the snippet gets a free name. `task` is without secrets; one
 * that begins with a slash is a command to the program itself.
 * @throws ServiceError The service refused, or did not answer in time. Other errors are the file system's, or the
 *   signal's.
 */
export const offer = async (
  client: Cairn,
  log: Logger,
  cache: CacheFolder,
  root: string,
  task: string,
  signal: AbortSignal
): Promise<Offer> => {
  const nothing: Offer = { context: "", files: [] }
  const [asked = ""] = task.split(saidBefore)
  const searched = cut(asked.trim(), mostTask)
  if (searched === "" || searched.startsWith("/")) return nothing
  const { files: found } = await client.getCodeFiles(
    {
      task: searched,
      topK: 5,
      minVerdictScore: 0.3,
      preferComplete: true,
      // remarks above functions would be uploaded with what is built on them
      perFunctionReputation: false
    },
    { maxRetries: 1, signal }
  )
  const plain = found.filter(({ filename, codeBlockId }) => {
    if (isPlainName(filename)) return true
    log.warn("A snippet was not offered", { codeBlockId, reason: "its name is not a plain file name" })
    return false
  })
  if (plain.length === 0 || cache.closed) return nothing
  const written = (await writeFiles(await cache.make(root), plain, log, cache.written)).filter(
    ({ path }) => path !== null
  )
  const { context, count } = listed(written)
  const files = written.slice(0, count).map(async ({ codeBlockId, filename, path, source, description }) => ({
    codeBlockId,
    filename,
    path: await realpath(path!),
    source,
    description
  }))
  return { context, files: await Promise.all(files) }
}
