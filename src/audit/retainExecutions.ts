import { ExecutionEvent, monthIn, monthOfSubject } from "#domain/Execution.ts"
import { eraseMonths, subjectOf } from "./eraseMonths.ts"

/**
 * Erases the text of executions, with their reviews, whose month was over so many days before `now` (milliseconds since
 * the epoch).
 */
export const retainExecutions = (now: number, kept: number) =>
  eraseMonths(
    {
      checkpoint: "retention_executions",
      types: ["ExecutionRecorded"],
      // its subject's, for all that have it go together
      monthOf: (stored) => monthOfSubject(subjectOf(stored)) ?? monthIn(stored.recordedAt),
      isApart: (subject) => subject.startsWith("execution/") || monthOfSubject(subject) !== undefined,
      stream: "executions_erased",
      erased: (subject) => ExecutionEvent.cases.ExecutionsErased.make({ subject })
    },
    now,
    kept
  )
