import type { Sha } from "#ports/WorkspaceStore.ts"
import type { Compressed } from "./compressed.ts"
import { hasLoose, looseSize, openLoose, readLoose } from "./loose.ts"
import { isSha, type StoredObject } from "./object.ts"
import { inPack } from "./packs.ts"

// A repack moves an object from its own file into a pack. A reader that misses it in both looks at the file again,
// which may have been written anew meanwhile.

/** An object, loose or packed; `undefined` when there is none of that name. */
export const readObject = async (gitdir: string, sha: Sha): Promise<StoredObject | undefined> => {
  if (!isSha(sha)) return undefined
  const packed = () => inPack(gitdir, sha, (pack, offset) => pack.read(offset))
  return (await readLoose(gitdir, sha)) ?? (await packed()) ?? (await readLoose(gitdir, sha))
}

/**
 * An object, to be read piece by piece. The caller closes its file. `undefined`: it is stored as a delta, or there is
 * no such object.
 */
export const openObject = async (gitdir: string, sha: Sha): Promise<Compressed | undefined> => {
  const packed = () => inPack(gitdir, sha, (pack, offset) => pack.open(offset))
  return (await openLoose(gitdir, sha)) ?? (await packed()) ?? (await openLoose(gitdir, sha))
}

/** Bytes of an object's content, read from the beginning of what is stored; `undefined`: there is no such object. */
export const objectSize = async (gitdir: string, sha: Sha): Promise<number | undefined> => {
  const packed = () => inPack(gitdir, sha, (pack, offset) => Promise.resolve(pack.size(offset)))
  return looseSize(gitdir, sha) ?? (await packed()) ?? looseSize(gitdir, sha)
}

/** Whether a pack of the repository has an object. */
export const isPacked = async (gitdir: string, sha: Sha): Promise<boolean> =>
  (await inPack(gitdir, sha, () => Promise.resolve(true))) === true

/** Whether the repository has an object, loose or packed. */
export const hasObject = async (gitdir: string, sha: Sha): Promise<boolean> =>
  isSha(sha) && (hasLoose(gitdir, sha) || (await isPacked(gitdir, sha)))
