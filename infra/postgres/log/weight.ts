import type { Append } from "#engine/ports/EventStore.ts"

/** About how many bytes an append sends: the data and texts of its events. */
export const weightOf = ({ commands }: Append): number =>
  commands.reduce(
    (sum, { events }) => events.reduce((s, { data, payload }) => s + data.length + (payload?.bytes.length ?? 0), sum),
    0
  )
