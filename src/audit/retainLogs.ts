import { monthIn } from "#domain/Execution.ts"
import { monthOfLogs, PrintedEvent } from "#domain/Printed.ts"
import { eraseMonths, subjectOf } from "./eraseMonths.ts"

/**
 * Erases what uploads printed, and the log files of bundles, whose month was over `kept` days before `now`
 * (milliseconds since the epoch).
 */
export const retainLogs = (now: number, kept: number) =>
  eraseMonths(
    {
      checkpoint: "retention_logs",
      types: ["LogsRecorded", "LogFilesReceived"],
      monthOf: (stored) => monthOfLogs(subjectOf(stored)) ?? monthIn(stored.recordedAt),
      isApart: () => true,
      stream: "logs_erased",
      erased: (subject) => PrintedEvent.cases.LogsErased.make({ subject })
    },
    now,
    kept
  )
