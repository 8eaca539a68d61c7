import type { DomainEvent } from "#domain/events.ts"
import type { Encoder } from "#domain/search/embeddings/Encoder.ts"
import type { Envelope } from "#engine/Event.ts"
import { tableOf } from "#engine/Projection.ts"

/** What changes may use besides the event. */
export interface GivenEncoder {
  readonly encoder: Encoder
}

const ofTenant = { column: "tenant" as const, value: (_: unknown, { tenant }: Envelope) => tenant }

/** An organization's rows go when it is erased and, for what was still under way then, again when its erasure ends. */
export const ofErased = { OrganizationErased: ofTenant, OrganizationErasureEnded: ofTenant }

/** A table of one of Cairn's read models. */
export const table = tableOf<DomainEvent, GivenEncoder>()
