import fs from "node:fs"
import type { Sha } from "#ports/WorkspaceStore.ts"
import { inParallel, publish, stage, syncDirectory } from "../../durableFs.ts"
import { isMissing, there } from "../../systemErrors.ts"
import { Breath } from "../Breath.ts"
import { compress } from "./compressed.ts"
import { fanOut, loosePath } from "./loose.ts"
import { headOf, type NewObject } from "./object.ts"
import { isPacked } from "./read.ts"

/** Milliseconds since a file was last written, or touched, after which it is touched again. */
const freshMs = 60 * 60 * 1000

/** Files, or folders, that wait for the disk at a time. */
const writers = 32

const compressed = ({ type, content }: NewObject) => compress(headOf(type, content.length), content)

/** Makes a folder; tells whether it did. Never makes the repository above, which may have been erased meanwhile. */
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
 * Tells whether a file exists, and marks it as written now: an object that nothing names may be pruned when nobody has
 * written it for a day.
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
 * Stores objects durably. Each must come after those that it names, so that a process killed on the way leaves no
 * object that names a missing one. An object that has a loose file already is not written again.
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
  // also when nothing was missing: the process that wrote an object may not have synced its folder yet
  const directories = [...new Set(wanted.map(({ sha }) => fanOut(gitdir, sha)))]
  if (made) directories.push(`${gitdir}/objects`)
  await inParallel(directories, writers, async (directory) => {
    try {
      await syncDirectory(directory)
    } catch (error) {
      // a repack may have packed all that the folder held, and removed it
      const held = wanted.filter(({ sha }) => fanOut(gitdir, sha) === directory)
      const packed = await Promise.all(held.map(({ sha }) => isPacked(gitdir, sha)))
      if (!isMissing(error) || packed.includes(false) || held.length === 0) throw error
    }
  })
}

/**
 * Puts a staged object in its place; tells whether that took a new folder. A repack may remove a folder that is empty.
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
