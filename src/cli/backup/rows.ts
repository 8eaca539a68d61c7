import { Stream } from "effect"
import { BackupFault } from "#ports/Backup.ts"

/** Rows that are put at once. */
const some = 1_000

/** Lines of what lies beside the log, some at a time. */
export const rowsOf = (lines: () => AsyncIterable<string>) =>
  Stream.grouped(
    Stream.fromAsyncIterable({ [Symbol.asyncIterator]: () => lines()[Symbol.asyncIterator]() }, (error) =>
      error instanceof BackupFault ? error : new BackupFault({ message: "The backup can't be read." })
    ),
    some
  )
