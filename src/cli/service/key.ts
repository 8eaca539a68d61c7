import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { email, text } from "../fields.ts"
import { type KeyRow, keyTable } from "../key/keyTable.ts"
import { actsAsFlag, type GivenLimits, limitFlags, limitsIn, noBound } from "../key/limits.ts"
import { answer, plain } from "../output.ts"
import { type Ask, service } from "./asking.ts"

/** The limits of a key, as a request to a service has them. */
const asked = Effect.fnUntraced(function* (flags: GivenLimits) {
  const { expiresAt, workspaces, models, ...limits } = yield* limitsIn(flags)
  return {
    ...limits,
    ...(expiresAt == null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    ...(workspaces == null ? {} : { workspaces }),
    ...(models == null ? {} : { models })
  }
})

const create = Command.make(
  "create",
  {
    email: Flag.String("email").pipe(Flag.withDescription("Whose key it is"), Flag.withSchema(email)),
    name: Flag.String("name").pipe(Flag.withDescription("What the key is called"), Flag.withSchema(text(200))),
    role: Flag.Literals("role", ["admin", "member", "reader"]).pipe(
      Flag.withDescription("The key's role (default: member, or the role that the person already has)"),
      Flag.optional
    ),
    actsAs: actsAsFlag,
    ...limitFlags
  },
  ({ email, name, role, actsAs, ...limits }) =>
    Effect.gen(function* () {
      const ask = yield* service()
      const person = { role: Option.getOrUndefined(role), actsAs: Option.getOrUndefined(actsAs) }
      const given = { email, keyName: name, ...person, ...(yield* asked(limits)) }
      const { data, wire } = yield* ask((cairn, options) => cairn.keys.create(given, options))
      yield* answer({ ...wire, key_id: data.id }, () => [
        `Key of ${plain(data.userEmail)} in ${plain(data.organizationName)} (${data.role}), shown only now:`,
        data.key,
        `Its id: ${data.id}`
      ])
    })
).pipe(Command.withDescription("Create a key; it is printed only once"))

/** Every key, as the service writes them. */
const all = Effect.fnUntraced(function* (ask: Ask) {
  const keys: Array<KeyRow> = []
  let cursor: string | undefined
  do {
    const { data, wire } = yield* ask((cairn, options) => cairn.keys.list({ cursor }, options))
    const { keys: found } = wire as { readonly keys: ReadonlyArray<Omit<KeyRow, "organization_id">> }
    keys.push(...found.map((key) => ({ ...key, organization_id: data.organizationId })))
    cursor = data.nextCursor ?? undefined
  } while (cursor !== undefined)
  return keys
})

const list = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const keys = yield* all(yield* service())
    yield* answer({ keys }, () => keyTable(keys))
  })
).pipe(Command.withDescription("List the live keys of your key's organization"))

const limit = Command.make(
  "limit",
  { id: Argument.String("id").pipe(Argument.withDescription("The key's id, not its text")), ...limitFlags },
  ({ id, ...flags }) =>
    Effect.gen(function* () {
      const ask = yield* service()
      const limits = yield* asked(flags)
      if (Object.keys(limits).length === 0) return yield* noBound
      const { data, wire } = yield* ask((cairn, options) => cairn.keys.limit(id, limits, options))
      yield* answer(wire, () => [`Bounded ${plain(data.keyId)}.`])
    })
).pipe(Command.withDescription("Change a key's limits, at once; those that are not given stay"))

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
  Command.withDescription("API keys of your key's organization, at the service at CAIRN_URL"),
  Command.withSubcommands([create, list, limit, revoke])
)
