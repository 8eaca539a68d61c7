import { isSqlError } from "effect/sql/SqlError"
import type { DomainEvent } from "#domain/events.ts"
import { type Passes, reactionTo } from "#engine/react.ts"
import { TooMuchWaits } from "#ports/JobFaults.ts"
import { passes } from "#ports/passes.ts"

/** What follows from Cairn's events. */
export const reaction = reactionTo<DomainEvent>()

/** The database is away, or all workers have too much to do. */
export const passesByItself: Passes = (fault) => fault instanceof TooMuchWaits || (isSqlError(fault) && passes(fault))
