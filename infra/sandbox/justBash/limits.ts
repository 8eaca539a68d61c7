import type { BashOptions } from "just-bash"

const MiB = 1024 * 1024

/** Default limits of one command: milliseconds, and bytes of stdout and of stderr each. */
export const defaultTimeout = 30_000
export const defaultOutput = 100_000

/** Limit of the child's heap. Without one, a command took 4 GB in 15 seconds. */
export const heapMegabytes = 384
/** Limit of the memory that the child may write to: some 600 MB count before anything runs. */
export const dataMegabytes = 1_400

/** just-bash's own limits, which end most runaway commands with a message before the child's limits kill it. */
export const executionLimits: NonNullable<BashOptions["executionLimits"]> = {
  maxSourceBytes: 1 * MiB,
  maxCommandCount: 100_000,
  maxLoopIterations: 100_000,
  // Counts records too: a file of that many lines is no runaway.
  maxAwkIterations: 2_000_000,
  maxSedIterations: 2_000_000,
  maxExecutionTimeMs: 600_000,
  // Bytes outside the heap, which the child's own limit does not count.
  maxLiveBytes: 128 * MiB,
  maxInputBytes: 256 * MiB,
  maxFileSystemBytes: 64 * MiB,
  maxArchiveBytes: 128 * MiB,
  maxArchiveCompressedBytes: 64 * MiB,
  maxArchiveEntryBytes: 64 * MiB,
  maxArchiveEntries: 50_000,
  maxWorkerMessageBytes: 16 * MiB,
  maxStringLength: 32 * MiB,
  maxHeredocSize: 16 * MiB,
  maxOutputSize: 32 * MiB
}
