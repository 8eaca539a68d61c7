import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { KeyNotFound } from "#domain/Key.ts"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { personId } from "#domain/Person.ts"
import { User, UserCommand } from "#domain/User.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Installation } from "#ports/Installation.ts"
import { holderOfKey, ownerOfKey } from "#projections/Keys/holders.ts"
import { listKeys } from "#projections/Keys/listed.ts"
import { organizations } from "#projections/Keys/organizations.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { KeyUsage } from "#projections/KeyUsage.ts"
import { shownLimits } from "#src/keys/shownLimits.ts"
import { Failed } from "./failure.ts"
import { create, emailFlag } from "./key/create.ts"
import { keyTable } from "./key/keyTable.ts"
import { limitFlags, limitsIn, noBound } from "./key/limits.ts"
import { onLog, reach, upToDate } from "./log.ts"
import { metadata } from "./metadata.ts"
import { commanded, organizationOf, orgFlag } from "./organization.ts"
import { answer, plain } from "./output.ts"

/** The operator's own machine gets all keys on one page. */
const all = 2_147_483_647

const list = Command.make(
  "list",
  { org: orgFlag, email: emailFlag.pipe(Flag.withDescription("The keys of this person instead"), Flag.optional) },
  ({ org, email }) =>
    onLog(
      Effect.gen(function* () {
        yield* upToDate(Keys, KeyUsage)
        if (Option.isSome(org) && Option.isSome(email))
          return yield* new Failed({
            message: "--org and --email exclude each other: a personal key has no organization."
          })
        const { secret } = yield* Installation
        const tenants = Option.isSome(email)
          ? [{ id: personId(secret, email.value), organization: null }]
          : Option.isSome(org)
            ? [yield* organizationOf(org)]
            : yield* organizations
        const lists = yield* Effect.forEach(tenants, ({ id }) =>
          Effect.map(listKeys(id, 0, all), (keys) =>
            keys.map(({ created_by: _, ...key }) => ({ ...key, organization_id: Option.isSome(email) ? null : id }))
          )
        )
        const keys = lists.flat()
        yield* answer({ keys }, () => keyTable(keys))
      })
    )
).pipe(Command.withDescription("List live keys: of all organizations, of one, or of one person"))

const limit = Command.make(
  "limit",
  { id: Argument.String("id").pipe(Argument.withDescription("The key's id, not its text")), ...limitFlags },
  ({ id: given, ...flags }) =>
    onLog(
      Effect.gen(function* () {
        const id = given.toLowerCase()
        const limits = yield* limitsIn(flags)
        if (Object.keys(limits).length === 0) return yield* noBound
        yield* upToDate(Keys)
        const owner = yield* ownerOfKey(id)
        if (owner?.kind !== "organization")
          return yield* new Failed({
            message: `There is no live key ${plain(id)} of an organization: \`cairn key list\` shows their ids.`
          })
        yield* commanded(owner.id, OrganizationCommand.LimitKey({ by: null, key: id, limits }))
        const holder = yield* holderOfKey(id)
        if (holder === undefined) return yield* new KeyNotFound({ key: id })
        yield* answer({ success: true, key_id: id, ...shownLimits(holder.limits) }, () => [`Bounded ${id}.`])
      })
    )
).pipe(Command.withDescription("Change a key's limits, at once; those that are not given stay"))

const revoke = Command.make(
  "revoke",
  { id: Argument.String("id").pipe(Argument.withDescription("The key's id, not its text")) },
  ({ id: given }) =>
    onLog(
      Effect.gen(function* () {
        const id = given.toLowerCase()
        yield* upToDate(Keys)
        const owner = yield* ownerOfKey(id)
        if (owner === undefined) {
          return yield* new Failed({
            message: `There is no live key ${plain(id)}: \`cairn key list\` shows their ids.`
          })
        }
        const { id: tenant, kind } = owner
        if (kind === "user") {
          const command = UserCommand.RevokePersonalKey({ key: id })
          const events = yield* dispatch(User, { tenant, stream: `user-${tenant}`, command, ...metadata() })
          yield* reach([Keys], events.at(-1)!.position)
        } else yield* commanded(tenant, OrganizationCommand.RevokeKey({ by: null, key: id }))
        yield* answer({ success: true, key_id: id }, () => [`Revoked ${id}.`])
      })
    )
).pipe(Command.withDescription("Revoke a key, at once and for good"))

export const command = Command.make("key").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([create, list, limit, revoke])
)
