import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { Role } from "#domain/Key.ts"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { normalEmail, personId } from "#domain/Person.ts"
import { User, UserCommand } from "#domain/User.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Installation } from "#ports/Installation.ts"
import { hasUser, listUsers } from "#projections/Keys/listed.ts"
import { organizations } from "#projections/Keys/organizations.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { KeyUsage } from "#projections/KeyUsage.ts"
import { writtenPosition } from "#src/positions.ts"
import { Failed } from "./failure.ts"
import { onLog, reach, upToDate } from "./log.ts"
import { metadata } from "./metadata.ts"
import { commanded, organizationOf, orgFlag } from "./organization.ts"
import { answer, plain } from "./output.ts"
import { userTable } from "./userTable.ts"

const eraseMember = (tenant: string, user: string) =>
  commanded(tenant, OrganizationCommand.EraseMember({ by: null, user }))

const erasePerson = Effect.fnUntraced(function* (user: string) {
  const events = yield* dispatch(User, {
    tenant: user,
    stream: `user-${user}`,
    ...metadata(),
    command: UserCommand.EraseUser({ user })
  })
  yield* reach([Keys], events.at(-1)!.position)
  return events
})

const erase = Command.make(
  "erase",
  {
    who: Argument.String("user").pipe(Argument.withDescription("The user's id or e-mail")),
    org: orgFlag
  },
  ({ who, org }) =>
    onLog(
      Effect.gen(function* () {
        yield* upToDate(Keys)
        const typed = normalEmail(who)
        const { secret } = yield* Installation
        const given = Option.isNone(org) ? undefined : yield* organizationOf(org)
        const id = typed.includes("@") ? personId(secret, typed) : typed
        const tenant = given?.id ?? id
        if (!(yield* hasUser(tenant, id))) {
          const where = given === undefined ? "without an organization (else give --org)" : `in ${plain(given.name)}`
          return yield* new Failed({ message: `There is no user ${plain(who)} ${where}: see \`cairn user list\`.` })
        }
        const events = given === undefined ? yield* erasePerson(id) : yield* eraseMember(given.id, id)
        const keys = events.length - 1
        const erased = { users: 1, keys }
        const { position } = events.at(-1)!
        yield* answer({ success: true, user_id: id, erased, position: yield* writtenPosition(position) }, () => [
          `Erased ${id}: ${keys} keys are revoked, name and e-mail are deleted.`,
          given === undefined
            ? "A running service deletes their snippets and workspaces; else the next one does."
            : "What they stored belongs to the organization, and stays."
        ])
      })
    )
).pipe(
  Command.withDescription(
    "Erase a person without an organization, and all that they stored; with --org a member's keys, name and e-mail: what a member stored stays with the organization"
  )
)

/** The operator's own machine gets all users on one page. */
const all = 2_147_483_647

const list = Command.make("list", { org: orgFlag }, ({ org }) =>
  onLog(
    Effect.gen(function* () {
      yield* upToDate(Keys, KeyUsage)
      const tenants = Option.isSome(org) ? [yield* organizationOf(org)] : yield* organizations
      const lists = yield* Effect.forEach(tenants, ({ id }) =>
        Effect.map(listUsers(id, 0, all), (users) =>
          users.map(({ joined_by: _, ...user }) => ({ ...user, organization_id: id }))
        )
      )
      const users = lists.flat()
      yield* answer({ users }, () => userTable(users))
    })
  )
).pipe(Command.withDescription("List the people of all organizations, or of one"))

const role = Command.make(
  "role",
  {
    who: Argument.String("user").pipe(Argument.withDescription("The user's id or e-mail")),
    to: Argument.Literals("role", Role.literals).pipe(Argument.withDescription("Their new role")),
    org: orgFlag
  },
  ({ who, to, org }) =>
    onLog(
      Effect.gen(function* () {
        const typed = normalEmail(who)
        const { secret } = yield* Installation
        const { id: tenant, name } = yield* organizationOf(org)
        const user = typed.includes("@") ? personId(secret, typed) : typed
        if (!(yield* hasUser(tenant, user)))
          return yield* new Failed({
            message: `There is no user ${plain(who)} in ${plain(name)}: see \`cairn user list\`.`
          })
        yield* commanded(tenant, OrganizationCommand.ChangeRole({ by: null, user, role: to }))
        yield* answer({ success: true, user_id: user, role: to }, () => [`${user} is ${to} of ${plain(name)}.`])
      })
    )
).pipe(Command.withDescription("Change a person's role in an organization, at once and for all of their keys"))

export const command = Command.make("user").pipe(
  Command.withDescription("People: their roles, keys, names and e-mails"),
  Command.withSubcommands([list, role, erase])
)
