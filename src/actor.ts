import type { Holder } from "#domain/Scope.ts"
import type { Actor } from "#engine/Event.ts"

/** Who a write is laid to: the key, its user and its organization. */
export const actorOf = ({ key, user, organization }: Holder): Actor => ({ key, user, organization })

/** The service itself, or whoever operates it: nobody with a key. */
export const operator: Actor = { key: null, user: null, organization: null }
