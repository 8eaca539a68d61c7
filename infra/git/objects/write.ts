import fs from "node:fs"
import type { Sha } from "#ports/WorkspaceStore.ts"
import { inParallel, publish, stage, syncDirectory } from "../../durableFs.ts"
import { isMissing, there } from "../../systemErrors.ts"
import { Breath } from "../Breath.ts"
import { compress } from "./compressed.ts"
import { fanOut, loosePath } from "./loose.ts"
import { headOf, type NewObject } from "./object.ts"
import { isPacked } from "./read.ts"

/** How old a file may look before that is put right. */
const freshMs = 60 * 60 * 1000

/** Objects whose files wait for the disk at a time. */
const writers = 32

const compressed = ({ type, content }: NewObject) => compress(headOf(type, content.length), content)

/** Answers whether it made it. It never makes the repository above it, which may have been erased meanwhile. */
const makeDirectory = (path: string): boolean => {
  try {
    if (fs.existsSync(path)) return false
    fs.mkdirSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw error
  }
}

/**
 * Answers whether there is such a file, which counts as written now: what nothing names and nobody has written for a
 * day may be pruned.
 */
const freshen = (path: string): boolean => {
  const written = fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs
  if (written === undefined) return false
  const now = Date.now()
  if (now - written < freshMs) return true
  const freshened = there(() => {
    fs.utimesSync(path, now / 1000, now / 1000)
    return true
  })
  return freshened ?? false
}

/**
 * Stores objects durably. The order counts: an object comes after those that it names, so that whoever is killed on the
 * way leaves no object that names a missing one. What is stored already is not written again.
 */
export const writeObjects = async (gitdir: string, objects: ReadonlyArray<NewObject>): Promise<void> => {
  const wanted = [...new Map(objects.map((object) => [object.sha, object])).values()]
  const breath = new Breath()
  const missing: Array<NewObject> = []
  for (const object of wanted) {
    await breath.take()
    if (!freshen(loosePath(gitdir, object.sha))) missing.push(object)
  }
  const staged: Array<string | undefined> = []
  let made = false
  try {
    await inParallel(missing, writers, async (object, index) => {
      staged[index] = await stage(`${gitdir}/objects`, await compressed(object), 0o444)
    })
    for (const [index, { sha }] of missing.entries()) {
      if (place(gitdir, sha, staged[index]!)) made = true
      staged[index] = undefined
      await breath.take()
    }
  } finally {
    for (const path of staged) if (path !== undefined) fs.rmSync(path, { force: true })
  }
  // also where nothing was missing: who wrote it may not have come to this point yet
  const directories = [...new Set(wanted.map(({ sha }) => fanOut(gitdir, sha)))]
  if (made) directories.push(`${gitdir}/objects`)
  await inParallel(directories, writers, async (directory) => {
    try {
      await syncDirectory(directory)
    } catch (error) {
      // all that it held may be in a pack by now, and it gone
      const held = wanted.filter(({ sha }) => fanOut(gitdir, sha) === directory)
      const packed = await Promise.all(held.map(({ sha }) => isPacked(gitdir, sha)))
      if (!isMissing(error) || packed.includes(false) || held.length === 0) throw error
    }
  })
}

/**
 * Puts a staged object in its place; answers whether that took a new directory. A repack may remove one that is empty.
 */
const place = (gitdir: string, sha: Sha, staged: string): boolean => {
  for (let tries = 1; ; tries++) {
    const made = makeDirectory(fanOut(gitdir, sha))
    try {
      publish(staged, loosePath(gitdir, sha))
      return made
    } catch (error) {
      if (!isMissing(error) || tries === 5) throw error
    }
  }
}
