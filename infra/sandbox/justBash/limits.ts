import type { BashOptions } from "just-bash"

const MiB = 1024 * 1024

/** Of one command, unless told: milliseconds, and bytes of stdout and of stderr each. */
export const defaultTimeout = 30_000
export const defaultOutput = 100_000

/** Of the child's heap. Without a limit a command took 4 GB in 15 seconds. */
export const heapMegabytes = 384
/** Of the child's whole memory: what it counts as written to is some 600 MB before anything runs. */
export const dataMegabytes = 1_400

/** just-bash's own, which end most runaway commands with a message before the child's limits kill it. */
export const executionLimits: NonNullable<BashOptions["executionLimits"]> = {
  maxSourceBytes: 1 * MiB,
  maxCommandCount: 100_000,
  maxLoopIterations: 100_000,
  // Of records too: files of that many lines are no runaways.
  maxAwkIterations: 2_000_000,
  maxSedIterations: 2_000_000,
  maxExecutionTimeMs: 600_000,
  // What is not on the heap, so that the child's own limit doesn't count it.
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
