import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import type { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { dispatch } from "#engine/dispatch.ts"
import { organizations } from "#projections/Keys/organizations.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { Failed } from "./failure.ts"
import { reach, upToDate } from "./log.ts"
import { metadata } from "./metadata.ts"
import { plain } from "./output.ts"

/** `--org`: an id, or a slug or name that one organization has. */
export const orgFlag = Flag.String("org").pipe(
  Flag.withMetavar("ID"),
  Flag.withDescription("The organization's id, its slug, or its name"),
  Flag.optional
)

/** The organization that is named, or the first that was registered if none is. */
export const organizationOf = Effect.fnUntraced(function* (named: Option.Option<string>) {
  yield* upToDate(Keys)
  const known = yield* organizations
  const [first] = known
  if (first === undefined) {
    return yield* new Failed({ message: "There is no organization yet: make one with `cairn org create`." })
  }
  if (Option.isNone(named)) return first
  const byId = known.find(({ id }) => id === named.value.toLowerCase())
  if (byId !== undefined) return byId
  const meant = known.filter(({ name, slug }) => [name, slug].includes(named.value))
  if (meant.length === 1) return meant[0]!
  const said = plain(named.value)
  return yield* new Failed({
    message:
      meant.length === 0
        ? `There is no organization ${said}: \`cairn org list\` shows them, with their ids and slugs.`
        : `${meant.length} organizations have the name or slug ${said}: give the id of one, ${meant.map(({ id }) => id).join(" or ")}.`
  })
})

/** Gives an organization a command of the operator's, and waits until the keys know it. Answers its events, if any. */
export const commanded = Effect.fnUntraced(function* (tenant: string, command: OrganizationCommand) {
  const events = yield* dispatch(Organization, {
    tenant,
    stream: `organization-${tenant}`,
    command,
    ...metadata()
  })
  const last = events.at(-1)
  if (last !== undefined) yield* reach([Keys], last.position)
  return events
})
