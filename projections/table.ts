import type { DomainEvent } from "#domain/events.ts"
import type { Encoder } from "#domain/search/embeddings/Encoder.ts"
import { tableOf } from "#engine/Projection.ts"

/** What changes may use besides the event. */
export interface Given {
  readonly encoder: Encoder
}

/** A table of one of Cairn's read models. */
export const table = tableOf<DomainEvent, Given>()
