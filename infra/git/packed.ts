import fs from "node:fs"
import type { Sha } from "#ports/Workspaces.ts"
import type { ObjectType, StoredObject } from "./objects.ts"

/** isomorphic-git holds the packs that it read in memory, whole: packs of at most so many bytes are kept for the next read. */
const keptBytes = 64 * 1024 * 1024
let kept: { readonly gitdir: string; readonly packs: string; readonly cache: object } | undefined

const packsOf = (gitdir: string): { readonly names: string; readonly bytes: number } => {
  const directory = `${gitdir}/objects/pack`
  const names = fs.existsSync(directory) ? fs.readdirSync(directory).filter((name) => name.endsWith(".pack")) : []
  const bytes = names.reduce(
    (sum, name) => sum + (fs.statSync(`${directory}/${name}`, { throwIfNoEntry: false })?.size ?? 0),
    0
  )
  return { names: names.sort().join(" "), bytes }
}

/** Forgets what is in memory of a repository's packs. */
export const forgetPacks = (gitdir: string): void => {
  if (kept?.gitdir === gitdir) kept = undefined
}

/** An object that native git has moved into a pack; `undefined` when no pack has it. */
export const readPacked = async (gitdir: string, sha: Sha): Promise<StoredObject | undefined> => {
  const { names, bytes } = packsOf(gitdir)
  if (names === "") return undefined
  // loaded when the first pack is met: most installations never pack
  const git = await import("isomorphic-git")
  if (kept?.gitdir !== gitdir || kept.packs !== names) kept = { gitdir, packs: names, cache: {} }
  const { cache } = kept
  if (bytes > keptBytes) kept = undefined
  try {
    const read = await git.readObject({ fs, gitdir, oid: sha, format: "content", cache })
    return { type: read.type as ObjectType, content: read.object as Uint8Array }
  } catch (error) {
    if (error instanceof git.Errors.NotFoundError) return undefined
    throw error
  }
}
