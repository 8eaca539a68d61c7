import { basename, join } from "node:path"
import { ignoredOf } from "./ignored.ts"
import { changedSince, type Manifest, readBelow } from "./manifest.ts"
import { hasSecret, hasSecretName, textFile } from "./screen.ts"

/** Files of one success, and characters of all of them. */
const mostFiles = 20
const mostCharacters = 2_097_152

/** Files that a tool makes and nobody wrote. */
const generated = /(^|[-.])lock(\.\w+)?$|^(package-lock|npm-shrinkwrap)\.json$|^go\.sum$|\.(log|min\.js|map|pyc)$/i

/** A file that the session created or changed. */
export interface ChangedFile {
  /** Relative to the session's folder, with `/`. */
  readonly path: string
  readonly absolute: string
  readonly content: string
}

/** A changed file that stays where it is. */
export interface LeftFile {
  readonly path: string
  readonly reason: "ignored" | "secret" | "too large or no regular file" | "binary" | "empty" | "generated" | "too many"
}

export interface Collected {
  readonly files: ReadonlyArray<ChangedFile>
  readonly left: ReadonlyArray<LeftFile>
}

/** What the session made: the files that its tools named, and those that others made (a command, a server). */
export const collect = async (
  root: string,
  named: ReadonlySet<string>,
  before: Manifest | undefined,
  after: Manifest | undefined,
  secrets: ReadonlyArray<string>
): Promise<Collected> => {
  const made = before && after ? changedSince(before, after) : []
  const paths = [...new Set([...named, ...made])]
  const ignored = await ignoredOf(root, paths)
  const files: Array<ChangedFile> = []
  const left: Array<LeftFile> = []
  let characters = 0
  for (const path of paths) {
    const leave = (reason: LeftFile["reason"]) => void left.push({ path, reason })
    if (ignored.has(path)) leave("ignored")
    else if (hasSecretName(basename(path))) leave("secret")
    else if (generated.test(basename(path))) leave("generated")
    else {
      const bytes = await readBelow(root, path)
      const content = bytes && textFile(bytes)
      if (bytes === undefined) leave("too large or no regular file")
      else if (content === undefined) leave("binary")
      else if (content.trim() === "") leave("empty")
      else if (hasSecret(content, secrets)) leave("secret")
      else if (files.length >= mostFiles || (characters += content.length) > mostCharacters) leave("too many")
      else files.push({ path, absolute: join(root, path), content })
    }
  }
  return { files, left }
}
