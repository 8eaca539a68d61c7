import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

/** What `setBounds` takes; what is left out is not bounded. Days and months are those of UTC. */
export interface SetBoundsParams {
  /** Of which key. Default: of the whole organization. */
  readonly keyId?: string | undefined
  /** Chats that may begin in a day. */
  readonly chatsPerDay?: number | undefined
  /** Tokens that models may read and write in a month. */
  readonly tokensPerMonth?: number | undefined
  /** US dollars in a month. */
  readonly costPerMonth?: number | undefined
  /** Turns of one chat: 1 to 100. */
  readonly maxTurns?: number | undefined
  /** Names of models that chats may ask for; of the whole organization only. */
  readonly models?: ReadonlyArray<string> | undefined
  /** Snippets that may be stored at one time. */
  readonly snippets?: number | undefined
  /** Bytes that commits may bring to workspaces. */
  readonly repositoryBytes?: number | undefined
}

/** What the organization, or one of its keys, may use; `null`: it is not bounded. */
export interface Bounds extends Result {
  /** `null`: it is of the whole organization. */
  readonly keyId: string | null
  /** Chats that may begin in a day. */
  readonly chatsPerDay: number | null
  /** Tokens that models may read and write in a month. */
  readonly tokensPerMonth: number | null
  /** US dollars in a month. */
  readonly costPerMonth: number | null
  /** Turns of one chat. */
  readonly maxTurns: number | null
  /** Names of models that chats may ask for. */
  readonly models: ReadonlyArray<string> | null
  /** Snippets that may be stored at one time. */
  readonly snippets: number | null
  /** Bytes that commits may bring to workspaces. */
  readonly repositoryBytes: number | null
}

/** What `bounds` gives. */
export interface BoundsList extends Result {
  /** The organization first, then its keys; at most 1,000. */
  readonly bounds: ReadonlyArray<Bounds>
}

interface BoundsWire {
  readonly key_id: string | null
  readonly chats_per_day: number | null
  readonly tokens_per_month: number | null
  readonly cost_per_month: number | null
  readonly max_turns: number | null
  readonly models: ReadonlyArray<string> | null
  readonly snippets?: number | null
  readonly repository_bytes?: number | null
}

const boundsOf = (wire: BoundsWire): Bounds => ({
  keyId: wire.key_id,
  chatsPerDay: wire.chats_per_day,
  tokensPerMonth: wire.tokens_per_month,
  costPerMonth: wire.cost_per_month,
  maxTurns: wire.max_turns,
  models: wire.models,
  snippets: wire.snippets ?? null,
  repositoryBytes: wire.repository_bytes ?? null
})

export const bounds: Call<BoundsList> = {
  method: "GET",
  path: "/api/bounds",
  answer: json((wire: { readonly bounds: ReadonlyArray<BoundsWire> }) => ({ bounds: wire.bounds.map(boundsOf) }))
}

export const setBounds = (params: SetBoundsParams): Call<Bounds> => ({
  method: "POST",
  path: "/api/bounds",
  body: {
    key_id: params.keyId,
    chats_per_day: params.chatsPerDay,
    tokens_per_month: params.tokensPerMonth,
    cost_per_month: params.costPerMonth,
    max_turns: params.maxTurns,
    models: params.models,
    snippets: params.snippets,
    repository_bytes: params.repositoryBytes
  },
  answer: json(boundsOf)
})
