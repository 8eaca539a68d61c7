import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Failed } from "../failure.ts"
import { answer, plain } from "../output.ts"
import { type UserRow, userTable } from "../userTable.ts"
import { type Ask, service } from "./asking.ts"

/** Everybody of the key's organization, as the service writes them. */
const all = Effect.fnUntraced(function* (ask: Ask) {
  const users: Array<UserRow> = []
  let cursor: string | undefined
  do {
    const { data, wire } = yield* ask((cairn, options) => cairn.users.list({ cursor }, options))
    const { users: found } = wire as { readonly users: ReadonlyArray<Omit<UserRow, "organization_id">> }
    users.push(...found.map((user) => ({ ...user, organization_id: data.organizationId })))
    cursor = data.nextCursor ?? undefined
  } while (cursor !== undefined)
  return users
})

const who = Argument.String("user").pipe(Argument.withDescription("The user's id or e-mail"))

/** The id of the user who is named by an id or an e-mail address. */
const idOf = Effect.fnUntraced(function* (ask: Ask, who: string) {
  const typed = who.trim().toLowerCase()
  if (!typed.includes("@")) return typed
  const found = (yield* all(ask)).find(({ user_email }) => user_email === typed)
  return found?.user_id ?? (yield* new Failed({ message: `There is no user ${plain(who)}: see \`cairn user list\`.` }))
})

const list = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const users = yield* all(yield* service())
    yield* answer({ users }, () => userTable(users))
  })
).pipe(Command.withDescription("List the people of your key's organization"))

const role = Command.make(
  "role",
  {
    who,
    to: Argument.Literals("role", ["admin", "member", "reader"]).pipe(Argument.withDescription("Their new role"))
  },
  ({ who, to }) =>
    Effect.gen(function* () {
      const ask = yield* service()
      const id = yield* idOf(ask, who)
      const { data, wire } = yield* ask((cairn, options) => cairn.users.changeRole(id, to, options))
      yield* answer(wire, () => [`${plain(data.userId)} is ${data.role} of your key's organization.`])
    })
).pipe(Command.withDescription("Change a person's role, at once and for all of their keys"))

const erase = Command.make("erase", { who }, ({ who }) =>
  Effect.gen(function* () {
    const ask = yield* service()
    const id = yield* idOf(ask, who)
    const { data, wire } = yield* ask((cairn, options) => cairn.users.erase(id, options))
    yield* answer({ user_id: id, ...wire }, () => [
      `Erased ${plain(id)}: ${data.erased.keys} keys are revoked, name and e-mail are deleted.`
    ])
  })
).pipe(Command.withDescription("Erase a person of your key's organization"))

export const command = Command.make("user").pipe(
  Command.withDescription("People of your key's organization, at the service at CAIRN_URL"),
  Command.withSubcommands([list, role, erase])
)
