import { randomBytes, randomUUID } from "node:crypto"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { type NewKey, Role } from "#domain/Key.ts"
import { type Member, OrganizationCommand } from "#domain/Organization/commands.ts"
import { normalEmail, personId } from "#domain/Person.ts"
import { User, UserCommand } from "#domain/User.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Installation } from "#ports/Installation.ts"
import { holderOfKey } from "#projections/Keys/holders.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { issueKey } from "#src/keys/issue.ts"
import { shownLimits } from "#src/keys/shownLimits.ts"
import { Failed } from "../failure.ts"
import { email as emailText, text } from "../fields.ts"
import { onLog, reach } from "../log.ts"
import { metadata } from "../metadata.ts"
import { commanded, organizationOf, orgFlag } from "../organization.ts"
import { answer, plain } from "../output.ts"
import { actsAsFlag, limitFlags, limitsIn } from "./limits.ts"

/** `--email`, of a person. */
export const emailFlag = Flag.String("email").pipe(Flag.withSchema(emailText))

const createPersonal = Effect.fnUntraced(function* (person: Member, key: NewKey) {
  const events = yield* dispatch(User, {
    tenant: person.user,
    stream: `user-${person.user}`,
    command: UserCommand.CreatePersonalKey({ ...person, secret: randomBytes(32).toString("hex"), key }),
    ...metadata()
  })
  yield* reach([Keys], events.at(-1)!.position)
  return events
})

export const create = Command.make(
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
        "The key's role in its organization (default: member, or the role that the person already has)"
      ),
      Flag.optional
    ),
    actsAs: actsAsFlag,
    ...limitFlags
  },
  ({ email: typed, name, org, personal, role: wanted, actsAs, ...limits }) =>
    onLog(
      Effect.gen(function* () {
        if (Option.isSome(org) && personal) {
          return yield* new Failed({ message: "--personal and --org exclude each other." })
        }
        const asked = yield* limitsIn(limits)
        if (Option.isNone(org) && Option.isSome(wanted)) {
          return yield* new Failed({ message: "A personal key has no role: give --org, or leave --role out." })
        }
        if (Option.isNone(org) && (Option.isSome(actsAs) || Object.keys(asked).length > 0)) {
          return yield* new Failed({
            message: "A personal key has no bounds: give --org, or leave --acts-as and the flags of bounds out."
          })
        }
        const { secret } = yield* Installation
        const email = normalEmail(typed)
        const user = personId(secret, email)
        const issued = issueKey(randomUUID(), name)
        const role = Option.getOrNull(wanted)
        const given = Option.isNone(org) ? undefined : yield* organizationOf(org)
        const events =
          given === undefined
            ? yield* createPersonal({ user, email }, issued.key)
            : yield* commanded(
                given.id,
                OrganizationCommand.CreateKey({
                  by: null,
                  member: { user, email },
                  role,
                  key: { ...issued.key, userId: Option.getOrNull(actsAs) },
                  limits: asked
                })
              )
        const last = events.at(-1)!
        const holder = given === undefined ? undefined : yield* holderOfKey(issued.key.key)
        const made = holder?.role ?? null
        const created = {
          organization_id: given?.id ?? null,
          organization_name: given?.name ?? null,
          key: issued.full,
          key_prefix: issued.key.prefix,
          key_id: issued.key.key,
          name,
          role: made,
          ...(holder === undefined ? {} : shownLimits(holder.limits)),
          acts_as: holder?.userId ?? null,
          user_email: email,
          user_id: user,
          is_new_member: events.some(({ event }) => event._tag === "MemberAdded"),
          created_at: new Date(last.recordedAt).toISOString()
        }
        yield* answer(created, () => [
          `Key of ${plain(email)}${given === undefined ? "" : ` in ${plain(given.name)} (${made})`}, shown only now:`,
          issued.full,
          `Its id: ${issued.key.key}`
        ])
      })
    )
).pipe(Command.withDescription("Create a key; it is printed only once"))
