import { ValidationError } from "../errors.ts"
import type { Logger } from "../log.ts"
import type { CodeFile } from "./CodeFile.ts"

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

/** Loaded only by who writes, and by a name that bundlers don't see: the rest of the library runs in browsers, too. */
const partOfNode = <T>(name: string): Promise<T> => import(/* webpackIgnore: true */ /* @vite-ignore */ name)

/**
 * Writes files into a folder, which is made when it is not there, and never anywhere else: a name that is not flat, one
 * that another file of the same call has, and one that stands for a link or a folder there are left out, with a
 * warning. A file is written beside its name and then moved there, so that no link is followed, also none that is made
 * meanwhile.
 * @throws ValidationError `cacheDir` is a link or a file. Any other error is the file system's.
 */
export const writeFiles = async (
  folder: string,
  files: ReadonlyArray<CodeFile>,
  log: Logger
): Promise<ReadonlyArray<CodeFile>> => {
  const { lstat, mkdir, realpath, rename, rm, writeFile } =
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
  await mkdir(trimmed, { recursive: true })
  const root = await realpath(trimmed)

  const write = async (file: CodeFile): Promise<CodeFile> => {
    const target = join(root, file.filename)
    const kind = await kindOf(target)
    if (kind !== "nothing" && kind !== "file") return refused(file, `there is a ${kind} of that name`)
    const beside = join(root, `.${globalThis.crypto.randomUUID()}.part`)
    try {
      await writeFile(beside, file.source, { flag: "wx" })
      await rename(beside, target)
    } catch (error) {
      await rm(beside, { force: true })
      throw error
    }
    return { ...file, path: join(trimmed, file.filename) }
  }
  const refused = (file: CodeFile, reason: string): CodeFile => {
    log.warn("A code file was not written", { codeBlockId: file.codeBlockId, reason })
    return file
  }

  const taken = new Set<string>()
  const written: Array<CodeFile> = []
  for (const file of files) {
    const name = file.filename.normalize("NFC").toLowerCase()
    if (!isFlat(file.filename)) written.push(refused(file, "its name is not that of a file in the folder itself"))
    else if (taken.has(name)) written.push(refused(file, "another file has its name"))
    else written.push(await write(file))
    taken.add(name)
  }
  return written
}
