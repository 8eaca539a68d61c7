import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { email, text } from "../fields.ts"
import { answer, plain, table } from "../output.ts"
import { type Ask, service } from "./asking.ts"

const create = Command.make(
  "create",
  {
    email: Flag.String("email").pipe(Flag.withDescription("Whose key it is"), Flag.withSchema(email)),
    name: Flag.String("name").pipe(Flag.withDescription("What the key is called"), Flag.withSchema(text(200))),
    role: Flag.Literals("role", ["admin", "member"]).pipe(
      Flag.withDescription("The key's authority; unless given, member, or the role of who is in it already"),
      Flag.optional
    )
  },
  ({ email, name, role }) =>
    Effect.gen(function* () {
      const ask = yield* service()
      const given = { email, keyName: name, role: Option.getOrUndefined(role) }
      const { data, wire } = yield* ask((cairn, options) => cairn.keys.create(given, options))
      yield* answer({ ...wire, key_id: data.id }, () => [
        `Key of ${plain(data.userEmail)} in ${plain(data.organizationName)} (${data.role}), shown only now:`,
        data.key,
        `Its id: ${data.id}`
      ])
    })
).pipe(Command.withDescription("Make a key; its text is printed once"))

/** Every key, as the service writes them. */
const all = Effect.fnUntraced(function* (ask: Ask) {
  const keys: Array<{ readonly [field: string]: unknown }> = []
  let cursor: string | undefined
  do {
    const { data, wire } = yield* ask((cairn, options) => cairn.keys.list({ cursor }, options))
    const { keys: found } = wire as { readonly keys: typeof keys }
    keys.push(...found.map((key) => ({ ...key, organization_id: data.organizationId })))
    cursor = data.nextCursor ?? undefined
  } while (cursor !== undefined)
  return keys
})

const list = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const keys = yield* all(yield* service())
    yield* answer({ keys }, () =>
      table(
        ["id", "name", "prefix", "e-mail", "role", "created", "last used"],
        keys.map((key) =>
          ["id", "name", "key_prefix", "user_email", "role", "created_at", "last_used_at"].map((field) => key[field])
        )
      )
    )
  })
).pipe(Command.withDescription("List the live keys of your key's organization"))

const revoke = Command.make(
  "revoke",
  { id: Argument.String("id").pipe(Argument.withDescription("The key's id, not its text")) },
  ({ id }) =>
    Effect.gen(function* () {
      const ask = yield* service()
      const { data, wire } = yield* ask((cairn, options) => cairn.keys.revoke(id, options))
      yield* answer(wire, () => [`Revoked ${plain(data.keyId)}.`])
    })
).pipe(Command.withDescription("Revoke a key, at once and for good"))

export const command = Command.make("key").pipe(
  Command.withDescription("API keys of your key's organization, at the service that CAIRN_URL names"),
  Command.withSubcommands([create, list, revoke])
)
