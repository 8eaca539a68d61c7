import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

/** How far a read model is. */
export interface ReadModelStatus {
  /** What it is called, here and in the log. */
  readonly name: string
  /** Of its tables and rules. */
  readonly version: number
  /** Up to where it has taken in the log; `null` before it is made. */
  readonly position: string | null
  /** Positions that it is behind what concerns it; `null` before it is made. */
  readonly lag: number | null
  /** As the database reckons; `null` where that can't be told. */
  readonly rows: number | null
  /** On disk, with indexes; `null` where that can't be told. */
  readonly bytes: number | null
  /** Why it can't go on; `null`: it can. */
  readonly fault: string | null
}

/** How far something that follows from events is. */
export interface ReactionStatus {
  /** What it is called, here and in the log. */
  readonly name: string
  /** Positions that it is behind what concerns it. */
  readonly lag: number
  /** Why it stands still; `null`: it does not. */
  readonly fault: string | null
}

/** How far the index of snippets is. */
export interface SearchStatus {
  /** Up to where it holds the snippets. */
  readonly position: string
  /** Positions that it is behind the snippets. */
  readonly lag: number
  /** That it holds; `null`: it is elsewhere. */
  readonly snippets: number | null
  /** Snippets that are not found by all that they say. */
  readonly leftOut: number
  /** Why it can't go on; `null`: it can. */
  readonly fault: string | null
}

/** What was seen of a language model since the process began. */
export interface ModelStatus {
  /** What callers ask for. */
  readonly name: string
  /** The full id that its provider knows it by. */
  readonly model: string
  /** When it last answered, as ISO 8601; `null`: it has not. */
  readonly answeredAt: string | null
  /** When it last failed, as ISO 8601; `null`: it has not. */
  readonly failedAt: string | null
  /** Why it last failed. */
  readonly fault: string | null
}

/** Chats that the process has in hand. */
export interface ChatStatus {
  /** Chats that are at work. */
  readonly running: number
  /** Chats that wait for another one, or for room. */
  readonly waiting: number
}

/** What room a disk has. */
export interface DiskStatus {
  /** What is on it. */
  readonly disk: "data" | "database" | "workspaces"
  /** Bytes that are free. */
  readonly freeBytes: number
  /** Whether writes to it are refused. */
  readonly nearlyFull: boolean
}

/** How the service is, of several processes the one that answered. */
export interface ServiceStatus extends Result {
  /** Version of the service. */
  readonly version: string
  /** ISO 8601. */
  readonly startedAt: string
  /** Such as `Deno 2.9.5`. */
  readonly runtime: string
  /** Memory that the process has. */
  readonly memoryBytes: number
  /** Of the log's last event. */
  readonly head: string
  /** What can't be had at the moment. */
  readonly missing: ReadonlyArray<"database" | "log" | "search">
  /** Each read model, and how far it is. */
  readonly readModels: ReadonlyArray<ReadModelStatus>
  /** What follows from events, of what this process runs. */
  readonly reactions: ReadonlyArray<ReactionStatus>
  /** How far the index of snippets is. */
  readonly search: SearchStatus
  /** The models that callers may name, and what was seen of each. */
  readonly models: ReadonlyArray<ModelStatus>
  /** Chats in hand. */
  readonly chats: ChatStatus
  /** Disks of the service's own that are watched. */
  readonly disks: ReadonlyArray<DiskStatus>
}

interface Wire {
  readonly version: string
  readonly started_at: string
  readonly runtime: string
  readonly memory_bytes: number
  readonly head: string
  readonly missing: ServiceStatus["missing"]
  readonly read_models: ReadonlyArray<ReadModelStatus>
  readonly reactions: ReadonlyArray<ReactionStatus>
  readonly search: {
    readonly position: string
    readonly lag: number
    readonly snippets: number | null
    readonly left_out: number
    readonly fault: string | null
  }
  readonly models?: ReadonlyArray<{
    readonly name: string
    readonly model: string
    readonly answered_at: string | null
    readonly failed_at: string | null
    readonly fault: string | null
  }>
  readonly chats: ChatStatus
  readonly disks: ReadonlyArray<{
    readonly disk: DiskStatus["disk"]
    readonly free_bytes: number
    readonly nearly_full: boolean
  }>
}

export const status: Call<ServiceStatus> = {
  method: "GET",
  path: "/api/admin/status",
  answer: json((wire: Wire) => ({
    version: wire.version,
    startedAt: wire.started_at,
    runtime: wire.runtime,
    memoryBytes: wire.memory_bytes,
    head: wire.head,
    missing: wire.missing,
    readModels: wire.read_models.map(({ name, version, position, lag, rows, bytes, fault }) => ({
      name,
      version,
      position,
      lag,
      rows: rows ?? null,
      bytes: bytes ?? null,
      fault
    })),
    reactions: wire.reactions.map(({ name, lag, fault }) => ({ name, lag, fault })),
    search: {
      position: wire.search.position,
      lag: wire.search.lag,
      snippets: wire.search.snippets,
      leftOut: wire.search.left_out,
      fault: wire.search.fault
    },
    models: (wire.models ?? []).map(({ name, model, answered_at, failed_at, fault }) => ({
      name,
      model,
      answeredAt: answered_at,
      failedAt: failed_at,
      fault
    })),
    chats: { running: wire.chats.running, waiting: wire.chats.waiting },
    disks: wire.disks.map((one) => ({
      disk: one.disk,
      freeBytes: one.free_bytes,
      nearlyFull: one.nearly_full
    }))
  }))
}
