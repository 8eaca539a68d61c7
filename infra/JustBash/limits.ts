import type { BashOptions } from "just-bash"

const MiB = 1024 * 1024

/** Of one command, unless told: milliseconds, and bytes of stdout and of stderr each. */
export const defaultTimeout = 30_000
export const defaultOutput = 100_000

/** Of the Worker's heap. Without them a command took 4 GB in 15 seconds. */
export const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

/** just-bash's own, which end most runaway commands with a message before the Worker's limits kill it. */
export const executionLimits: NonNullable<BashOptions["executionLimits"]> = {
  maxSourceBytes: 1 * MiB,
  maxCommandCount: 100_000,
  maxLoopIterations: 100_000,
  maxExecutionTimeMs: 600_000,
  // What is not on the heap, so that the Worker's own limits don't count it.
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
