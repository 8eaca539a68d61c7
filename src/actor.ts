import type { Holder } from "#domain/Scope.ts"
import type { Actor } from "#engine/Event.ts"

/** The actor of a holder's writes: the key, its user and its organization. */
export const actorOf = ({ key, user, organization }: Holder): Actor => ({ key, user, organization })

/** The service itself, or its operator: an actor without a key. */
export const operator: Actor = { key: null, user: null, organization: null }

/** What stands in place of the ids of an actor of another organization. */
export const external = "external"

/** Whether a tenant is shown who acted: if it was one of its own, or the service itself. */
export const isShownTo = (tenant: string, { key, user, organization }: Actor): boolean =>
  key === null || (organization ?? user) === tenant

/** Who acted, by ids, as the API shows it to a tenant. */
export const shownActor = (tenant: string, actor: Actor) =>
  isShownTo(tenant, actor)
    ? { key_id: actor.key, user_id: actor.user, organization_id: actor.organization }
    : { key_id: external, user_id: external, organization_id: external }
