import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

/** Rows in which a read model and its rebuild differ. */
export interface TableDifference {
  /** The table of the read model. */
  readonly table: string
  /** Rows that differ; 50 may be more. */
  readonly rows: number
}

/** A read model that is, or was, built anew beside the live one, and compared with it. */
export interface Replay extends Result {
  /** What `status` calls it. */
  readonly readModel: string
  /** Whether the new one takes the live one's place. */
  readonly promote: boolean
  /** `broken_off`: its process went away in the midst of it. */
  readonly state: "running" | "done" | "cancelled" | "failed" | "broken_off"
  /** Up to where the new one has taken in the log; `null` before it has begun. */
  readonly position: string | null
  /** Where both are compared; `null` before it has begun. */
  readonly goal: string | null
  /** From 0 to 1; `null` before it has begun. */
  readonly progress: number | null
  /** That were taken in. */
  readonly events: number
  /** Empty: the live one is what the log says. */
  readonly differences: ReadonlyArray<TableDifference>
  /** Why it failed; `null`: it did not. */
  readonly fault: string | null
  /** At whose word it began. */
  readonly keyId: string
  /** ISO 8601, as `endedAt`. */
  readonly startedAt: string
  /** `null`: it goes on. */
  readonly endedAt: string | null
}

/** What `system.replays` gives. */
export interface ReplayList extends Result {
  /** The last one of each read model that had one. */
  readonly replays: ReadonlyArray<Replay>
}

/** What `system.replay` takes. */
export interface ReplayParams {
  /** Whether the new one takes the live one's place. Default: `false`. */
  readonly promote?: boolean | undefined
}

interface Wire {
  readonly read_model: string
  readonly promote: boolean
  readonly state: Replay["state"]
  readonly position: string | null
  readonly goal: string | null
  readonly progress: number | null
  readonly events: number
  readonly differences: ReadonlyArray<TableDifference>
  readonly fault: string | null
  readonly key_id: string
  readonly started_at: string
  readonly ended_at: string | null
}

const replayOf = (wire: Wire): Replay => ({
  readModel: wire.read_model,
  promote: wire.promote,
  state: wire.state,
  position: wire.position,
  goal: wire.goal,
  progress: wire.progress,
  events: wire.events,
  differences: wire.differences.map(({ table, rows }) => ({ table, rows })),
  fault: wire.fault,
  keyId: wire.key_id,
  startedAt: wire.started_at,
  endedAt: wire.ended_at
})

const list = json(
  ({ replays }: { readonly replays: ReadonlyArray<Wire> }): ReplayList => ({
    replays: replays.map(replayOf)
  })
)

export const replays: Call<ReplayList> = { method: "GET", path: "/api/admin/replays", answer: list }

export const replay = (readModel: string, { promote }: ReplayParams): Call<Replay> => ({
  method: "POST",
  path: "/api/admin/replays",
  body: { read_model: readModel, promote },
  answer: json(replayOf)
})

export const cancelReplay = (readModel: string): Call<ReplayList> => ({
  method: "POST",
  path: "/api/admin/replays/cancel",
  body: { read_model: readModel },
  answer: list
})
