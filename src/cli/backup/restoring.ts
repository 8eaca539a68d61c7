import fs from "node:fs"
import { join } from "node:path"

/** The folder in the data folder that holds an archive's files while it is restored. */
export const restoring = "restoring"

/** The file in it that tells it from somebody's own folder of that name. */
const mark = ".made-by-restore"

/** Whether a restore may remove what is at a path: nothing is there, or a folder that a restore has made. */
export const isRestores = (path: string): boolean => {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return true
  if (!found.isDirectory()) return false
  const names = fs.readdirSync(path)
  // one that is killed as it begins leaves nothing in it
  return names.length === 0 || names.includes(mark)
}

/** Makes the folder. Throws if it is there. */
export const make = (path: string): void => {
  fs.mkdirSync(path, { mode: 0o700 })
  fs.writeFileSync(join(path, mark), "")
}

/** Removes the folder, if it is a restore's; the mark goes last. */
export const remove = (path: string): void => {
  if (!isRestores(path) || !fs.existsSync(path)) return
  for (const name of fs.readdirSync(path)) {
    if (name !== mark) fs.rmSync(join(path, name), { recursive: true, force: true })
  }
  fs.rmSync(path, { recursive: true, force: true })
}
