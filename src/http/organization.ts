import { Effect } from "effect"
import { NotOrganizationMember, type OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import type { Holder } from "#domain/Scope.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { Caller } from "#src/api/middleware.ts"
import { commandMetadata, freshOrStale, written } from "./answer.ts"

/** The organization of a key; fails for a personal key, which has none. */
export const organizationOf = ({ organization }: Holder) =>
  organization === null ? Effect.fail(new NotOrganizationMember()) : Effect.succeed(organization)

/** Gives the caller's organization a command by the caller's key. Gives the events, of which there may be none. */
export const commanded = Effect.fnUntraced(function* (command: (by: string) => OrganizationCommand) {
  const holder = yield* Caller
  const organization = yield* organizationOf(holder)
  const events = yield* dispatch(Organization, {
    tenant: organization,
    stream: `organization-${organization}`,
    command: command(holder.key),
    ...(yield* commandMetadata)
  })
  const last = events.at(-1)
  if (last !== undefined) yield* written(last.position)
  // the answer waits until the read model knows it, too
  yield* freshOrStale(Keys)
  return events
})
