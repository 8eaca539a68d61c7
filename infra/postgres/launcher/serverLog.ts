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

/** Bytes above which the server's log is put aside; one earlier log may lie beside it. */
const most = 10 * 1024 * 1024

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT } = constants
/** Windows has neither. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>

/** Opens the log for a server that is about to start, which appends to it. Throws if a link lies there. */
export const openLog = (cluster: Cluster): number => {
  keepShort(cluster)
  return openSync(cluster.log, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
}

/**
 * Puts a log that is too long aside, in place of the earlier one, even while a server writes to it. The server keeps
 * its file, which is therefore copied and emptied: it writes at the end. A line of that moment may be lost.
 */
export const keepShort = (cluster: Cluster): void => {
  const log = lstatSync(cluster.log, { throwIfNoEntry: false })
  // Postgres's own account owns the folder, and may put a link to somebody else's file there
  if (log === undefined || !log.isFile() || log.size <= most) return
  try {
    rmSync(`${cluster.log}.1`, { force: true })
    copyFileSync(cluster.log, `${cluster.log}.1`, constants.COPYFILE_EXCL)
  } finally {
    // even without a copy: a disk with no room for it has none for a longer log either
    truncateSync(cluster.log, 0)
  }
}

/** More bytes than a server says within ten seconds in which it refuses one question after the other. */
const lastBytes = 256 * 1024

/** To read only what lies there itself: follows no link, and waits for no pipe that nobody writes to. */
const asItIs = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

const opened = (path: string): number | undefined => {
  try {
    return openSync(path, asItIs)
  } catch {
    return undefined
  }
}

/** What servers have said last; empty if there is no log, or something else in its place, as above. */
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
