const MiB = 1024 * 1024

/** Of one command, unless told: milliseconds, and bytes of stdout and of stderr each. */
export const defaultTimeout = 30_000
export const defaultOutput = 100_000

/**
 * Of a shell's two file systems, which lie in memory. A workspace's own limits are a little lower, so that they speak
 * first.
 */
export const workspaceSize = { bytes: 1088 * MiB, inodes: 110_000 }
/** `/tmp`, the home folder and `/dev/shm` together. */
export const scratchSize = { bytes: 256 * MiB, inodes: 20_000 }

/** Bytes that the files of a workspace may claim to have: a file with holes claims more than it takes. */
export const mostBytes = 1024 * MiB

/** Of all processes of one command together, in memory of their own. */
export const memoryBytes = 1024 * MiB

/**
 * Of each process, as arguments of `prlimit`: a command has `timeout` milliseconds, and a process as much of the
 * processor. Threads count as processes.
 */
export const processLimits = (timeout: number): ReadonlyArray<string> => [
  "--nproc=128",
  "--nofile=1024",
  "--core=0",
  `--fsize=${mostBytes}`,
  // what it may write to, not what it reserves: node reserves gigabytes
  `--data=${2048 * MiB}`,
  `--cpu=${Math.ceil(timeout / 1000) + 1}`,
  "--msgqueue=0",
  "--memlock=65536"
]

/** Bytes of a stream after which it is read slowly, so that a flood leaves the service its time. */
export const floodBytes = 8 * MiB
