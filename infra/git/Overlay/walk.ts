import { FileError, PathRefused } from "#ports/WorkspaceStore.ts"
import type { FileNode } from "../objects/tree.ts"
import type { Repository } from "../Repository.ts"
import type { Directory, Node } from "./Directory.ts"

/** Where a path leads. */
export interface Destination {
  /** The path without links. */
  readonly names: ReadonlyArray<string>
  readonly node: Node | undefined
  /** How many of the last names do not exist. */
  readonly missing: number
}

const mostLinks = 40
const mostTargetBytes = 4095

const texts: Record<FileError["code"], string> = {
  ENOENT: "no such file or directory",
  EISDIR: "is a directory",
  ENOTDIR: "not a directory",
  EEXIST: "file exists",
  ENOTEMPTY: "directory not empty",
  EINVAL: "invalid argument",
  ELOOP: "too many symbolic links"
}

/** An error about a path, in words for the caller; `more` replaces the code's usual words. */
export const fileError = (code: FileError["code"], path: string, more?: string): FileError =>
  new FileError({ code, path, message: `${path === "" ? "the workspace's root" : path}: ${more ?? texts[code]}` })

/** Targets of links that were read before. */
const targets = new WeakMap<FileNode, string>()

/** What a link points to; `""`: its target is longer than one may be. */
export const targetOf = async (repository: Repository, link: FileNode): Promise<string> => {
  const known = targets.get(link)
  if (known !== undefined) return known
  const tooLong = (await repository.size(link)) > mostTargetBytes
  const target = tooLong ? "" : Buffer.from(await repository.content(link)).toString("utf8")
  targets.set(link, target)
  return target
}

const partsOf = (path: string): Array<string> => path.split("/").filter((part) => part !== "" && part !== ".")

/** One walk, synchronous so that nothing changes on the way. Gives a link instead if its target must be read first. */
const attempt = (root: Directory, path: string, follow: boolean): Destination | FileNode => {
  const chain = [root]
  const names: Array<string> = []
  const rest = partsOf(path).reverse()
  let links = 0
  while (rest.length > 0) {
    const name = rest.pop()!
    if (name === "..") {
      if (names.pop() === undefined) throw leadsOut(path)
      chain.pop()
      continue
    }
    const node = chain.at(-1)!.entries.get(name)
    if (node === undefined) {
      if (rest.includes("..")) throw fileError("ENOENT", path)
      const absent = [name, ...rest.reverse()]
      return { names: [...names, ...absent], node, missing: absent.length }
    }
    if (node.kind === "directory") {
      names.push(name)
      chain.push(node)
    } else if (node.kind === "symlink" && (follow || rest.length > 0)) {
      if (++links > mostLinks) throw fileError("ELOOP", path)
      const target = targets.get(node)
      if (target === undefined) return node
      if (target === "") throw fileError("ENOENT", path)
      if (target.startsWith("/")) throw leadsOut(path)
      rest.push(...partsOf(target).reverse())
    } else if (rest.length > 0) throw fileError("ENOTDIR", path)
    else return { names: [...names, name], node, missing: 0 }
  }
  return { names, node: chain.at(-1)!, missing: 0 }
}

const leadsOut = (path: string): PathRefused =>
  new PathRefused({ path, message: `${path}: a symbolic link on the way leads out of the workspace` })

/** Where a checked path leads, through links inside the workspace. With `follow`, a link at its end is followed too. */
export const walk = async (
  repository: Repository,
  root: Directory,
  path: string,
  follow: boolean
): Promise<Destination> => {
  for (;;) {
    const found = attempt(root, path, follow)
    if ("names" in found) return found
    await targetOf(repository, found)
  }
}
