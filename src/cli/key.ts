import { randomBytes, randomUUID } from "node:crypto"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Role } from "#domain/Key.ts"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { normalEmail, personId } from "#domain/Person.ts"
import { User, UserCommand } from "#domain/User.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Installation } from "#ports/Installation.ts"
import { Keys, listKeys, organizations, ownerOfKey } from "#projections/Keys.ts"
import { KeyUsage } from "#projections/KeyUsage.ts"
import { issueKey } from "#src/keys/issue.ts"
import { Failed } from "./failure.ts"
import { email as emailText, text } from "./fields.ts"
import { onLog, reach, upToDate } from "./log.ts"
import { metadata } from "./metadata.ts"
import { organizationOf, orgFlag } from "./organization.ts"
import { answer, plain, table } from "./output.ts"

const emailFlag = Flag.String("email").pipe(Flag.withSchema(emailText))

const create = Command.make(
  "create",
  {
    email: emailFlag.pipe(Flag.withDescription("Whose key it is")),
    name: Flag.String("name").pipe(Flag.withDescription("What the key is called"), Flag.withSchema(text(200))),
    org: orgFlag,
    personal: Flag.Boolean("personal").pipe(
      Flag.withDescription("A key of a person without an organization, as without --org"),
      Flag.withDefault(false)
    ),
    role: Flag.Literals("role", Role.literals).pipe(
      Flag.withDescription(
        "The key's authority in its organization; unless given, member, or the role of who is in it already"
      ),
      Flag.optional
    )
  },
  ({ email: typed, name, org, personal, role: wanted }) =>
    onLog(
      Effect.gen(function* () {
        if (Option.isSome(org) && personal) {
          return yield* new Failed({ message: "--personal and --org exclude each other." })
        }
        if (Option.isNone(org) && Option.isSome(wanted)) {
          return yield* new Failed({ message: "A personal key has no role: give --org, or leave --role out." })
        }
        const { secret } = yield* Installation
        const email = normalEmail(typed)
        const user = personId(secret, email)
        const issued = issueKey(randomUUID(), name)
        const role = Option.getOrNull(wanted)
        const given = Option.isNone(org) ? undefined : yield* organizationOf(org)
        const events =
          given === undefined
            ? yield* dispatch(User, {
                tenant: user,
                stream: `user-${user}`,
                command: UserCommand.CreatePersonalKey({
                  user,
                  email,
                  secret: randomBytes(32).toString("hex"),
                  key: issued.key
                }),
                ...metadata()
              })
            : yield* dispatch(Organization, {
                tenant: given.id,
                stream: `organization-${given.id}`,
                command: OrganizationCommand.CreateKey({ by: null, member: { user, email }, role, key: issued.key }),
                ...metadata()
              })
        const last = events.at(-1)!
        const made = given === undefined || last.event._tag !== "KeyCreated" ? null : last.event.role
        yield* reach([Keys], last.position)
        const created = {
          organization_id: given?.id ?? null,
          organization_name: given?.name ?? null,
          key: issued.full,
          key_prefix: issued.key.prefix,
          key_id: issued.key.key,
          name,
          role: made,
          user_email: email,
          user_id: user,
          is_new_member: given !== undefined && events.length > 1,
          created_at: new Date(last.recordedAt).toISOString()
        }
        yield* answer(created, () => [
          `Key of ${plain(email)}${given === undefined ? "" : ` in ${plain(given.name)} (${made})`}, shown only now:`,
          issued.full,
          `Its id: ${issued.key.key}`
        ])
      })
    )
).pipe(Command.withDescription("Make a key; its text is printed once"))

/** On the operator's own machine there is no page. */
const all = 2_147_483_647

const list = Command.make(
  "list",
  { org: orgFlag, email: emailFlag.pipe(Flag.withDescription("Personal keys of this person instead"), Flag.optional) },
  ({ org, email }) =>
    onLog(
      Effect.gen(function* () {
        yield* upToDate(Keys, KeyUsage)
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
        yield* answer({ keys }, () =>
          table(
            ["id", "name", "prefix", "e-mail", "role", "created", "last used", "organization"],
            keys.map((key) => [
              ...[key.id, key.name, key.key_prefix, key.user_email, key.role, key.created_at, key.last_used_at],
              key.organization_id
            ])
          )
        )
      })
    )
).pipe(Command.withDescription("List live keys: of every organization, of one, or a person's own"))

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
        const events =
          kind === "user"
            ? yield* dispatch(User, {
                tenant,
                stream: `user-${tenant}`,
                ...metadata(),
                command: UserCommand.RevokePersonalKey({ key: id })
              })
            : yield* dispatch(Organization, {
                tenant,
                stream: `organization-${tenant}`,
                ...metadata(),
                command: OrganizationCommand.RevokeKey({ by: null, key: id })
              })
        yield* reach([Keys], events.at(-1)!.position)
        yield* answer({ success: true, key_id: id }, () => [`Revoked ${id}.`])
      })
    )
).pipe(Command.withDescription("Revoke a key, at once and for good"))

export const command = Command.make("key").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([create, list, revoke])
)
