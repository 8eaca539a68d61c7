import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { normalEmail, personId } from "#domain/Person.ts"
import { User, UserCommand } from "#domain/User.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Installation } from "#ports/Installation.ts"
import { hasUser, Keys } from "#projections/Keys.ts"
import { writtenPosition } from "#src/positions.ts"
import { Failed } from "./failure.ts"
import { onLog, reach, upToDate } from "./log.ts"
import { metadata } from "./metadata.ts"
import { organizationOf, orgFlag } from "./organization.ts"
import { answer, plain } from "./output.ts"

const eraseMember = Effect.fnUntraced(function* (tenant: string, user: string) {
  const events = yield* dispatch(Organization, {
    tenant,
    stream: `organization-${tenant}`,
    ...metadata(),
    command: OrganizationCommand.EraseMember({ by: null, user })
  })
  return { keys: events.length - 1, position: events.at(-1)!.position }
})

const erasePerson = Effect.fnUntraced(function* (user: string) {
  const events = yield* dispatch(User, {
    tenant: user,
    stream: `user-${user}`,
    ...metadata(),
    command: UserCommand.EraseUser({ user })
  })
  return { keys: events.length - 1, position: events.at(-1)!.position }
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
          return yield* new Failed({ message: `There is no user ${plain(who)} ${where}: see \`cairn key list\`.` })
        }
        const { keys, position } = given === undefined ? yield* erasePerson(id) : yield* eraseMember(given.id, id)
        yield* reach([Keys], position)
        const erased = { users: 1, keys }
        yield* answer({ success: true, user_id: id, erased, position: yield* writtenPosition(position) }, () => [
          `Erased ${id}: ${keys} keys are revoked, name and e-mail are deleted.`,
          ...(given === undefined
            ? ["A running service deletes their snippets and workspaces; else the next one does."]
            : [])
        ])
      })
    )
).pipe(
  Command.withDescription("Erase a person: of an organization with --org, else one without, with all that they stored")
)

export const command = Command.make("user").pipe(
  Command.withDescription("People: their keys, names and e-mails"),
  Command.withSubcommands([erase])
)
