const MiB = 1024 * 1024

/** Default limits of one command: milliseconds, and bytes of stdout and of stderr each. */
export const defaultTimeout = 30_000
export const defaultOutput = 100_000

/**
 * Limits of a shell's two file systems, which lie in memory. A workspace's own limits are a little lower, so that they
 * are met first.
 */
export const workspaceSize = { bytes: 1088 * MiB, inodes: 110_000 }
/** `/tmp`, the home folder and `/dev/shm` together. */
export const scratchSize = { bytes: 256 * MiB, inodes: 20_000 }

/** Bytes that the files of a workspace may claim to have: a file with holes claims more than it takes. */
export const mostBytes = 1024 * MiB

/** Bytes of their own memory that all processes of one command may have together. */
export const memoryBytes = 1024 * MiB

/**
 * Limits of each process, as arguments of `prlimit`. A command has `timeout` milliseconds, and each process as much
 * time of the processor. Threads count as processes.
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
