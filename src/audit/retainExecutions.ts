import { ExecutionEvent, monthIn, monthOfSubject } from "#domain/Execution.ts"
import { eraseMonths, subjectOf } from "./eraseMonths.ts"

/**
 * Erases the text of executions and their reviews whose month was over `kept` days before `now` (milliseconds since the
 * epoch).
 */
export const retainExecutions = (now: number, kept: number) =>
  eraseMonths(
    {
      checkpoint: "retention_executions",
      types: ["ExecutionRecorded"],
      // the month of the subject, since all of a subject's texts go together
      monthOf: (stored) => monthOfSubject(subjectOf(stored)) ?? monthIn(stored.recordedAt),
      isApart: (subject) => subject.startsWith("execution/") || monthOfSubject(subject) !== undefined,
      stream: "executions_erased",
      erased: (subject) => ExecutionEvent.cases.ExecutionsErased.make({ subject })
    },
    now,
    kept
  )
