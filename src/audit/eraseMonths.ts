import { Effect } from "effect"
import type { ExecutionEvent } from "#domain/Execution.ts"
import type { PrintedEvent } from "#domain/Printed.ts"
import { derivedId } from "#engine/derivedId.ts"
import type { StoredEvent } from "#engine/ports/EventStore.ts"
import { noteErased } from "#src/snippets/eraseSearches.ts"
import { expire } from "./expire.ts"

const day = 86_400_000

/** When a month, such as `2026-11`, ends, in milliseconds since the epoch. */
const endOf = (month: string): number => {
  const [year, number] = month.split("-").map(Number)
  return Date.UTC(year!, number!)
}

/** The subject that an event's text lies under, as the log has it. */
export const subjectOf = ({ data }: StoredEvent): string => (JSON.parse(data) as { readonly subject: string }).subject

/** Texts that are erased month by month. */
export interface Months {
  /** The checkpoint's name: up to the checkpoint, all texts are over. */
  readonly checkpoint: string
  readonly types: ReadonlyArray<string>
  /** The month that an event's text goes with. */
  readonly monthOf: (stored: StoredEvent) => string
  /** Whether a subject goes with its month: one that is a snippet's own, from an older release, goes with that. */
  readonly isApart: (subject: string) => boolean
  /** The first part of a stream's name; the tenant is the second. */
  readonly stream: string
  /** The event that says that a subject's texts are gone. */
  readonly erased: (subject: string) => ExecutionEvent | PrintedEvent
}

/** Erases the texts whose month was over `kept` days before `now` (milliseconds since the epoch). */
export const eraseMonths = (
  { checkpoint, types, monthOf, isApart, stream, erased }: Months,
  now: number,
  kept: number
) =>
  expire(
    checkpoint,
    { types, factsOnly: true },
    (stored) => endOf(monthOf(stored)) + kept * day <= now,
    Effect.fnUntraced(function* (over) {
      const subjects = new Map(over.map((stored) => [subjectOf(stored), stored.tenant]))
      for (const [subject, tenant] of subjects) {
        if (!isApart(subject)) continue
        const noted = { tenant, stream: `${stream}-${tenant}` }
        yield* noteErased(noted, derivedId(stream, tenant, subject), erased(subject))
      }
    })
  )
