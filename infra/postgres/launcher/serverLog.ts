import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  truncateSync
} from "node:fs"
import type { Cluster } from "./cluster.ts"

/** Bytes of the server's own log; so many may lie beside it, from before. */
const most = 10 * 1024 * 1024

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT } = constants
/** Windows has neither. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>

/** What a server that is about to start writes its log to: behind what is there. Throws when a link lies there. */
export const openLog = (cluster: Cluster): number => {
  keepShort(cluster)
  return openSync(cluster.log, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
}

/**
 * Puts a log that has become too long aside, in place of the one from before, also while a server writes to it: its
 * file can't be another one, but may begin anew, for it is written at its end. A line of that moment may be lost.
 */
export const keepShort = (cluster: Cluster): void => {
  const log = lstatSync(cluster.log, { throwIfNoEntry: false })
  // in a folder of Postgres' own account, which may put a link to somebody else's file there
  if (log === undefined || !log.isFile() || log.size <= most) return
  try {
    rmSync(`${cluster.log}.1`, { force: true })
    copyFileSync(cluster.log, `${cluster.log}.1`, constants.COPYFILE_EXCL)
  } finally {
    // where there is no room for a copy there is none for more of it either
    truncateSync(cluster.log, 0)
  }
}

/** More than a server says within ten seconds in which it is asked again and again, and refuses. */
const lastBytes = 256 * 1024

/** To read what lies there by itself: no link is followed, and a pipe that nobody writes to is not waited for. */
const asItIs = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

const opened = (path: string): number | undefined => {
  try {
    return openSync(path, asItIs)
  } catch {
    return undefined
  }
}

/** What servers have said last; nothing where there is no log, or something else in its place, as above. */
export const lastWordsIn = (cluster: Cluster): string => {
  const log = opened(cluster.log)
  if (log === undefined) return ""
  try {
    const file = fstatSync(log)
    if (!file.isFile()) return ""
    const bytes = Buffer.alloc(Math.min(file.size, lastBytes))
    return bytes.toString("utf8", 0, readSync(log, bytes, 0, bytes.length, file.size - bytes.length))
  } finally {
    closeSync(log)
  }
}
