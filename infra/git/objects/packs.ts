import fs from "node:fs"
import type { Sha } from "#ports/WorkspaceStore.ts"
import { isMissing } from "../../systemErrors.ts"
import { cacheOf, forget } from "../cache.ts"
import { PackFile } from "./PackFile.ts"

/** Of indexes in memory: some 28 bytes an object. */
const keptBytes = 16 * 1024 * 1024
const kept = cacheOf<PackFile>(keptBytes)

interface Listing {
  /** Of the folder, when it was listed. */
  readonly changed: number
  readonly packs: ReadonlyArray<string>
}

const listings = cacheOf<Listing>(4_096)

const list = (gitdir: string): Listing => {
  const folder = `${gitdir}/objects/pack`
  // looked at first: what comes into it while it is listed makes this listing an old one
  const changed = fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const files = new Set(changed === 0 ? [] : fs.readdirSync(folder))
  const indexes = [...files].filter((name) => name.endsWith(".idx")).map((name) => name.slice(0, -".idx".length))
  // an index whose pack is gone is none, as git has it: who died while it took both away has left it there for ever
  const packs = indexes.filter((name) => files.has(`${name}.pack`)).map((name) => `${folder}/${name}`)
  const listing = { changed, packs }
  listings.set(gitdir, listing, { size: 1 + packs.length })
  return listing
}

/** What was listed before, unless the folder has changed. A clock's tick may hide a change: `list` has the truth. */
const known = (gitdir: string): Listing => {
  const listing = listings.get(gitdir)
  const changed = fs.statSync(`${gitdir}/objects/pack`, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return listing?.changed === changed ? listing : list(gitdir)
}

const packAt = (path: string): PackFile => {
  const known = kept.get(path)
  if (known !== undefined) return known
  // of an index that would not be kept nothing more is read than what is looked into
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
 * Asks the pack that has an object; `undefined` when none has it. A repack may take packs away meanwhile: what they had
 * is in another one then.
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
    // what is listed still, and was not there twice, does not come by asking on and on
    if ((!gone || wasGone) && now.packs.join() === listing.packs.join()) return undefined
    wasGone = gone
    listing = now
  }
}
