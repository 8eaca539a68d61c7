import { Effect } from "effect"
import { ExecutionEvent, monthIn, monthOfSubject } from "#domain/Execution.ts"
import { derivedId } from "#engine/derivedId.ts"
import type { StoredEvent } from "#engine/ports/EventStore.ts"
import { noteErased } from "#src/snippets/eraseSearches.ts"
import { expire } from "./expire.ts"

const day = 86_400_000
/** Its checkpoint: behind it lie only executions whose time is over. */
const name = "retention_executions"

/** When a month, as `2026-11`, has ended, in milliseconds. */
const endOf = (month: string): number => {
  const [year, number] = month.split("-").map(Number)
  return Date.UTC(year!, number!)
}

const subjectOf = ({ data }: StoredEvent): string => (JSON.parse(data) as { readonly subject: string }).subject

/** The month that an execution goes with: its subject's, for all that have it go together. */
const monthOf = (stored: StoredEvent): string => monthOfSubject(subjectOf(stored)) ?? monthIn(stored.recordedAt)

/** A snippet's own subject has its source, too: what an older release recorded under it goes with the snippet. */
const isApart = (subject: string): boolean => subject.startsWith("execution/") || monthOfSubject(subject) !== undefined

/** Erases the text of executions, with their reviews, whose month was over so many days before `now` (milliseconds since the epoch). */
export const retainExecutions = (now: number, kept: number) =>
  expire(
    name,
    { types: ["ExecutionRecorded"], factsOnly: true },
    (stored) => endOf(monthOf(stored)) + kept * day <= now,
    Effect.fnUntraced(function* (over) {
      const subjects = new Map(over.map((stored) => [subjectOf(stored), stored.tenant]))
      for (const [subject, tenant] of subjects) {
        if (!isApart(subject)) continue
        const event = ExecutionEvent.cases.ExecutionsErased.make({ subject })
        const stream = `executions_erased-${tenant}`
        yield* noteErased({ tenant, stream }, derivedId("executions_erased", tenant, subject), event)
      }
    })
  )
