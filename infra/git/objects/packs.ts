import fs from "node:fs"
import type { Sha } from "#ports/WorkspaceStore.ts"
import { isMissing } from "../../systemErrors.ts"
import { cacheOf, forget } from "../cache.ts"
import { PackFile } from "./PackFile.ts"

/** Bytes of indexes held in memory: some 28 an object. */
const keptBytes = 16 * 1024 * 1024
const kept = cacheOf<PackFile>(keptBytes)

interface Listing {
  /** When the folder had last changed as it was listed; milliseconds since the epoch. */
  readonly changed: number
  readonly packs: ReadonlyArray<string>
}

const listings = cacheOf<Listing>(4_096)

const list = (gitdir: string): Listing => {
  const folder = `${gitdir}/objects/pack`
  // read first: a pack that comes during the listing makes this listing out of date
  const changed = fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const files = new Set(changed === 0 ? [] : fs.readdirSync(folder))
  const indexes = [...files].filter((name) => name.endsWith(".idx")).map((name) => name.slice(0, -".idx".length))
  // like git, ignore an index without its pack: a process killed while it removed both leaves the index for ever
  const packs = indexes.filter((name) => files.has(`${name}.pack`)).map((name) => `${folder}/${name}`)
  const listing = { changed, packs }
  listings.set(gitdir, listing, { size: 1 + packs.length })
  return listing
}

/** The last listing unless the folder changed. It misses a change within a tick of the clock; `list` does not. */
const known = (gitdir: string): Listing => {
  const listing = listings.get(gitdir)
  const changed = fs.statSync(`${gitdir}/objects/pack`, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return listing?.changed === changed ? listing : list(gitdir)
}

const packAt = (path: string): PackFile => {
  const known = kept.get(path)
  if (known !== undefined) return known
  // an index too large to be kept is read only where a search looks
  const pack = new PackFile(path, kept.maxEntrySize)
  kept.set(path, pack, { size: pack.bytes })
  return pack
}

/** Forgets what is in memory of a repository's packs. */
export const forgetPacks = (gitdir: string): void => {
  listings.delete(gitdir)
  forget(kept, `${gitdir}/`)
}

/**
 * What the pack with an object answers; `undefined`: no pack has it. A repack may remove packs meanwhile: their objects
 * are then in another pack.
 */
export const inPack = async <A>(
  gitdir: string,
  sha: Sha,
  ask: (pack: PackFile, offset: number) => Promise<A>
): Promise<A | undefined> => {
  let listing = known(gitdir)
  for (let wasGone = false; ; ) {
    let gone = false
    for (const path of listing.packs) {
      try {
        const pack = packAt(path)
        const offset = pack.find(sha)
        if (offset !== undefined) return await ask(pack, offset)
      } catch (error) {
        if (!isMissing(error)) throw error
        kept.delete(path)
        gone = true
      }
    }
    const now = list(gitdir)
    // a pack that is still listed, but was missing twice, does not come back by asking again
    if ((!gone || wasGone) && now.packs.join() === listing.packs.join()) return undefined
    wasGone = gone
    listing = now
  }
}
