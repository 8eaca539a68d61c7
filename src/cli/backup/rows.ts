import { Stream } from "effect"
import { BackupFault } from "#ports/Backup.ts"

/** How many rows are put at once. */
const some = 1_000

/** The lines of what is beside the log, in groups. */
export const rowsOf = (lines: () => AsyncIterable<string>) =>
  Stream.grouped(
    Stream.fromAsyncIterable({ [Symbol.asyncIterator]: () => lines()[Symbol.asyncIterator]() }, (error) =>
      error instanceof BackupFault ? error : new BackupFault({ message: "The backup can't be read." })
    ),
    some
  )
