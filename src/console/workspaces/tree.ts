import type { TreeFile } from "../../../clients/typescript/src/index.ts"

/** A folder's content: folders first, then files, each by name. */
export interface Folder {
  readonly name: string
  readonly path: string
  readonly folders: ReadonlyArray<Folder>
  readonly files: ReadonlyArray<TreeFile & { readonly name: string }>
  /** The number of all files in it, at any depth. */
  readonly count: number
}

interface Growing {
  readonly folders: Map<string, Growing>
  readonly files: Array<TreeFile & { readonly name: string }>
}

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : 0

const grown = (name: string, path: string, growing: Growing): Folder => {
  const folders = [...growing.folders]
    .map(([name, inner]) => grown(name, path === "" ? name : `${path}/${name}`, inner))
    .sort(byName)
  const count = growing.files.length + folders.reduce((sum, folder) => sum + folder.count, 0)
  return { name, path, folders, files: growing.files.sort(byName), count }
}

/** Files by their paths as a tree of folders. */
export const treeOf = (files: ReadonlyArray<TreeFile>): Folder => {
  const root: Growing = { folders: new Map(), files: [] }
  for (const file of files) {
    const parts = file.path.split("/")
    const name = parts.pop()!
    let folder = root
    for (const part of parts) {
      const inner = folder.folders.get(part) ?? { folders: new Map(), files: [] }
      folder.folders.set(part, inner)
      folder = inner
    }
    folder.files.push({ ...file, name })
  }
  return grown("", "", root)
}
