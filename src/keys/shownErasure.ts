import { Effect } from "effect"
import { positionOf } from "#engine/Position.ts"
import type { Erasure } from "#projections/Erasures.ts"
import { writtenPosition } from "#src/positions.ts"

/** How far an erasure is, as answers show it: times are ISO 8601. */
export const shownErasure = ({ organization, begunAt, endedAt, erased, left, position }: Erasure) =>
  Effect.map(writtenPosition(positionOf(position)), (position) => ({
    organization_id: organization,
    state: endedAt === null ? ("erasing" as const) : ("erased" as const),
    begun_at: begunAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    erased,
    left,
    position
  }))
