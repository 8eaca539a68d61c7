import { ValidationError } from "../errors.ts"
import type { Logger } from "../log.ts"
import type { CodeFile } from "./CodeFile.ts"
import { makeFolder } from "./makeFolder.ts"
import { partOfNode } from "./partOfNode.ts"

/** Names that Windows takes for devices, whatever follows the dot. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** Bytes of a name that every system takes, and characters that none of them has for something else. */
const longestName = 200
const special = /[/\\:*?"<>|\u0000-\u001f\u007f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** Whether a name is that of a file in the folder itself, on every system. */
export const isFlat = (name: string): boolean =>
  name !== "" &&
  new TextEncoder().encode(name).length <= longestName &&
  !(special.test(name) || /^\.{1,2}$|[. ]$/.test(name) || device.test(name))

/** Of one file in a folder, before it is left out: `sum.py`, `sum-2.py` … `sum-99.py`. */
const mostNames = 99

/** `sum-2.py` of `sum.py`. */
const numbered = (name: string, number: number): string => {
  const dot = name.lastIndexOf(".")
  return dot <= 0 ? `${name}-${number}` : `${name.slice(0, dot)}-${number}${name.slice(dot)}`
}

/** Names that some systems take for the same one. */
const folded = (name: string): string => name.normalize("NFC").toLowerCase()

/**
 * Writes files into a folder, which is made when it is not there, and never anywhere else: a name that is not flat, one
 * that another file of the same call has, and one that stands for a link or a folder there are left out, with a
 * warning. A file is written beside its name and then moved there, so that no link is followed, also none that is made
 * meanwhile.
 *
 * Without `ours`, a file that is there is replaced. With it (what was written into this folder, by name; it is kept up)
 * only one that still holds what `ours` says, or is the same: any other stays, and the new one gets a free name, such
 * as `sum-2.py`, which its `filename` then is.
 * @throws ValidationError `cacheDir` is a link or a file. Any other error is the file system's.
 */
export const writeFiles = async (
  folder: string,
  files: ReadonlyArray<CodeFile>,
  log: Logger,
  ours?: Map<string, string>
): Promise<ReadonlyArray<CodeFile>> => {
  const { lstat, readFile, realpath, rename, rm, writeFile } =
    await partOfNode<typeof import("node:fs/promises")>("node:fs/promises")
  const { join } = await partOfNode<typeof import("node:path")>("node:path")
  const kindOf = async (path: string) => {
    const found = await lstat(path).catch((error: { readonly code?: string }) => {
      if (error.code === "ENOENT") return undefined
      throw error
    })
    if (found === undefined) return "nothing"
    return found.isSymbolicLink() ? "link" : found.isDirectory() ? "folder" : found.isFile() ? "file" : "other"
  }
  const trimmed = folder.replace(/(?<=.)[/\\]+$/, "")
  const there = await kindOf(trimmed)
  if (there !== "nothing" && there !== "folder") {
    throw new ValidationError("cacheDir is a link or a file; expected a folder, or a name that is free.", "cacheDir")
  }
  await makeFolder(trimmed)
  const root = await realpath(trimmed)

  /** What stands at a name and has to stay. */
  const standing = async (name: string, source: string) => {
    const path = join(root, name)
    const kind = await kindOf(path)
    if (kind !== "file") return kind
    if (ours === undefined) return "nothing"
    const { size } = await lstat(path)
    const holds = async (text: string | undefined) => {
      const bytes = text === undefined ? undefined : new TextEncoder().encode(text)
      // what can't be read is not ours
      return bytes?.length === size && (await readFile(path).catch(() => undefined))?.equals(bytes) === true
    }
    return (await holds(source)) || (await holds(ours.get(name))) ? "nothing" : "file"
  }
  /** The name that a file gets, and what stands there after all. */
  const placeOf = async ({ filename, source }: CodeFile) => {
    const first = await standing(filename, source)
    if (first !== "file") return { name: filename, found: first }
    for (let number = 2; number <= mostNames; number++) {
      const name = numbered(filename, number)
      if (!isFlat(name) || names.has(folded(name))) continue
      if ((await standing(name, source)) === "nothing") return { name, found: "nothing" }
    }
    return { name: filename, found: first }
  }
  const write = async (file: CodeFile): Promise<CodeFile> => {
    const { name, found } = await placeOf(file)
    if (found !== "nothing") return refused(file, `there is a ${found} of that name`)
    names.add(folded(name))
    const target = join(root, name)
    const beside = join(root, `.${globalThis.crypto.randomUUID()}.part`)
    try {
      await writeFile(beside, file.source, { flag: "wx" })
      await rename(beside, target)
    } catch (error) {
      await rm(beside, { force: true })
      throw error
    }
    ours?.set(name, file.source)
    return { ...file, filename: name, path: join(trimmed, name) }
  }
  const refused = (file: CodeFile, reason: string): CodeFile => {
    log.warn("A code file was not written", { codeBlockId: file.codeBlockId, reason })
    return file
  }

  const names = new Set(files.map(({ filename }) => folded(filename)))
  const taken = new Set<string>()
  const written: Array<CodeFile> = []
  for (const file of files) {
    const name = folded(file.filename)
    if (!isFlat(file.filename)) written.push(refused(file, "its name is not that of a file in the folder itself"))
    else if (taken.has(name)) written.push(refused(file, "another file has its name"))
    else written.push(await write(file))
    taken.add(name)
  }
  return written
}
