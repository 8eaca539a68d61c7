import { randomBytes } from "node:crypto"
import fs from "node:fs"
import { makeFolder } from "#ports/makeFolder.ts"
import { publish, replace, syncDirectory } from "../durableFs.ts"

const config = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"
const dayMs = 24 * 60 * 60 * 1000
const making = ".making-"
const erased = ".erased-"
/** Prefix of the names of quarantines, which hold what is pushed while it is checked. */
export const incoming = ".incoming-"

/**
 * The file in the folder of repositories that names the database it belongs to. A folder that has lost this file is
 * away (an unmounted disk leaves an empty folder in its place): nothing may be made or erased in it.
 */
export const mark = ".installation"

/** The path of a repository's folder. Throws on an id that could lead elsewhere. */
export const repositoryPath = (directory: string, workspace: string): string => {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(workspace)) throw new Error("a workspace's id has a-z, 0-9 and - only")
  return `${directory}/${workspace}.git`
}

/** Removes what a killed process left: erased repositories at once, unfinished ones after a day. */
export const sweep = async (directory: string): Promise<void> => {
  makeFolder(directory)
  for (const name of fs.readdirSync(directory)) {
    const path = `${directory}/${name}`
    const unfinished = (name.startsWith(making) || name.startsWith(incoming)) && isOld(path)
    if (unfinished || name.startsWith(erased)) await fs.promises.rm(path, { recursive: true, force: true })
  }
}

const isOld = (path: string): boolean => {
  const changed = fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return changed !== undefined && changed < Date.now() - dayMs
}

/** Makes an empty bare repository when there is none, whole or not at all. */
export const makeRepository = async (directory: string, gitdir: string): Promise<void> => {
  if (fs.existsSync(gitdir)) return
  const unfinished = `${directory}/${making}${randomBytes(8).toString("hex")}`
  const folders = ["objects/info", "objects/pack", "refs/heads", "refs/tags"]
  for (const folder of folders) fs.mkdirSync(`${unfinished}/${folder}`, { recursive: true })
  await replace(unfinished, unfinished, "HEAD", Buffer.from("ref: refs/heads/main\n"))
  await replace(unfinished, unfinished, "config", Buffer.from(config))
  for (const folder of [...folders, "objects", "refs", "."]) await syncDirectory(`${unfinished}/${folder}`)
  try {
    publish(unfinished, gitdir)
  } catch (error) {
    await fs.promises.rm(unfinished, { recursive: true, force: true })
    // another caller was faster
    if (!fs.existsSync(gitdir)) throw error
  }
  await syncDirectory(directory)
}

/**
 * Moves a repository out of sight, durably, then deletes it and what an earlier try left of it. Another process may be
 * doing the same. After a crash, `sweep` finishes the work.
 */
export const eraseRepository = async (directory: string, workspace: string): Promise<void> => {
  const gitdir = repositoryPath(directory, workspace)
  const doomed = `${erased}${workspace}.`
  try {
    if (fs.existsSync(gitdir)) publish(gitdir, `${directory}/${doomed}${randomBytes(8).toString("hex")}`)
  } catch (error) {
    // another caller was faster
    if (fs.existsSync(gitdir)) throw error
  }
  await syncDirectory(directory)
  for (const name of fs.readdirSync(directory)) {
    if (name.startsWith(doomed)) await removeFolder(`${directory}/${name}`)
  }
}

/** Removes a folder that another process may be removing too. */
const removeFolder = (path: string): Promise<void> =>
  fs.promises.rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }).catch((error) => {
    if (fs.existsSync(path)) throw error
  })

/** Removes files that a killed process staged in a repository and never put in place. */
export const sweepStaged = (gitdir: string): void => {
  for (const folder of [gitdir, `${gitdir}/objects`]) {
    for (const name of fs.readdirSync(folder)) {
      if (name.startsWith("tmp_obj_") && isOld(`${folder}/${name}`)) fs.rmSync(`${folder}/${name}`, { force: true })
    }
  }
}
