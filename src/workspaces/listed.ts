import { Effect } from "effect"
import { emailsOf } from "#projections/Keys/emails.ts"
import type { WorkspaceRecord } from "#projections/Workspaces/standing.ts"
import { external, shownActor } from "#src/actor.ts"

/**
 * A tenant's workspaces as they are listed, each with the present e-mail address of the person who made its last
 * commit: `erased` if they have none any more, `external` for somebody of another organization, and `null` if nobody
 * with a key made it.
 */
export const listed = Effect.fnUntraced(function* (tenant: string, found: ReadonlyArray<WorkspaceRecord>) {
  const users = found.flatMap(({ actor_user }) => actor_user ?? [])
  const emails = yield* emailsOf(tenant, [...new Set(users)])
  const emailOf = (user: string | null) => (user === null || user === external ? user : (emails.get(user) ?? "erased"))
  return found.map(({ id, generation, tree, updated_at, actor_key, actor_user, actor_organization, ...workspace }) => {
    const actor = shownActor(tenant, { key: actor_key, user: actor_user, organization: actor_organization })
    return {
      workspace_id: id,
      ...workspace,
      updated_at: updated_at.toISOString(),
      updated_by: { ...actor, email: emailOf(actor.user_id) }
    }
  })
})
