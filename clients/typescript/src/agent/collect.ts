import { lstat } from "node:fs/promises"
import { basename, join } from "node:path"
import { ignoredOf } from "./ignored.ts"
import { readBelow } from "./manifest.ts"
import { hasSecret, hasSecretName, textFile } from "./screen.ts"

/** Files of one success, wherever they lie, and characters of all of them. */
const mostFiles = 20
const mostCharacters = 2_097_152

/** Files that a tool makes and nobody wrote. */
const generated = /(^|[-.])lock(\.\w+)?$|^(package-lock|npm-shrinkwrap)\.json$|^go\.sum$|\.(log|min\.js|map|pyc)$/i

/** A file that the session created or changed. */
export interface ChangedFile {
  /** Relative to the session's folder, with `/`; of an offered file that was changed, its name in the cache folder. */
  readonly path: string
  readonly absolute: string
  readonly content: string
}

/** A changed file that stays where it is. */
export interface LeftFile {
  /** Relative to the session's folder, with `/`; of an offered file that was changed, its name in the cache folder. */
  readonly path: string
  /** Why. */
  readonly reason: "ignored" | "secret" | "too large or no regular file" | "binary" | "empty" | "generated" | "too many"
}

export interface Collected {
  readonly files: ReadonlyArray<ChangedFile>
  readonly left: ReadonlyArray<LeftFile>
}

/** Why a file stays, as far as its name tells. */
const reasonOf = (path: string): LeftFile["reason"] | undefined => {
  if (hasSecretName(basename(path))) return "secret"
  return generated.test(basename(path)) ? "generated" : undefined
}

/** A file's text, or why it stays. */
const read = async (root: string, path: string, secrets: ReadonlyArray<string>): Promise<ChangedFile | LeftFile> => {
  const bytes = await readBelow(root, path)
  if (bytes === undefined) return { path, reason: "too large or no regular file" }
  const content = textFile(bytes)
  if (content === undefined) return { path, reason: "binary" }
  if (content.trim() === "") return { path, reason: "empty" }
  return hasSecret(content, secrets) ? { path, reason: "secret" } : { path, absolute: join(root, path), content }
}

/**
 * What the session made: files that its tools named, and those that commands made. When these are more than could be
 * sent, something was unpacked or generated, and which of them were a work of the session can't be told: none is sent.
 * What of the same success was `collected` before takes its place first.
 */
export const collect = async (
  root: string,
  named: ReadonlySet<string>,
  made: ReadonlyArray<string>,
  secrets: ReadonlyArray<string>,
  collected: ReadonlyArray<ChangedFile> = []
): Promise<Collected> => {
  const paths = [...new Set([...named, ...made])]
  const ignored = await ignoredOf(root, paths)
  const files: Array<ChangedFile> = []
  const left: Array<LeftFile> = []
  const fit: Array<string> = []
  for (const path of paths) {
    const reason = ignored.has(path) ? "ignored" : reasonOf(path)
    if (reason === undefined) fit.push(path)
    else left.push({ path, reason })
  }
  const unpacked = fit.filter((path) => !named.has(path)).length > mostFiles
  let characters = collected.reduce((sum, { content }) => sum + content.length, 0)
  for (const path of fit) {
    if (collected.length + files.length >= mostFiles || (unpacked && !named.has(path))) {
      left.push({ path, reason: "too many" })
      continue
    }
    // what a tool wrote, another may have removed
    if (!(await lstat(join(root, path)).catch(() => undefined))) continue
    const one = await read(root, path, secrets)
    if ("reason" in one) left.push(one)
    else if (characters + one.content.length > mostCharacters) left.push({ path, reason: "too many" })
    else {
      characters += one.content.length
      files.push(one)
    }
  }
  return { files, left }
}
