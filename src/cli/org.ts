import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Tier } from "#domain/Tier.ts"
import { Keys, organizations } from "#projections/Keys.ts"
import { registerOrganization } from "#src/keys/bootstrap.ts"
import { Failed } from "./failure.ts"
import { email, text } from "./fields.ts"
import { onLog, reach, upToDate } from "./log.ts"
import { answer, plain, table } from "./output.ts"

/** As people read names. */
const sameName = (one: string, other: string): boolean =>
  one.trim().normalize("NFC").toLowerCase() === other.trim().normalize("NFC").toLowerCase()

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("What it is called"), Flag.withSchema(text(200))),
    tier: Flag.Literals("tier", Tier.literals).pipe(Flag.withDescription("What it may use")),
    ownerEmail: Flag.String("owner-email").pipe(Flag.withDescription("Its owner"), Flag.withSchema(email)),
    memberLimit: Flag.Int("member-limit").pipe(
      Flag.withDescription("Members it may have, with the owner; the tier's unless given"),
      Flag.filter(
        (limit) => limit >= 1 && limit <= 1_000_000,
        () => "expected a number from 1 to 1000000"
      ),
      Flag.optional
    )
  },
  ({ name, tier, ownerEmail, memberLimit }) =>
    onLog(
      Effect.gen(function* () {
        yield* upToDate(Keys)
        const taken = (yield* organizations).find((one) => sameName(one.name, name))
        if (taken !== undefined) {
          return yield* new Failed({
            message: `There is an organization ${plain(taken.name)} already, ${taken.id}: choose another name, which --org can tell from it.`
          })
        }
        const limit = Option.isSome(memberLimit) ? { memberLimit: memberLimit.value } : {}
        const made = yield* registerOrganization({ name, tier, ownerEmail, ...limit })
        yield* reach([Keys], made.position)
        const { full, key } = made.key
        const created = {
          organization_id: made.organization,
          organization_name: name,
          tier,
          key: full,
          key_prefix: key.prefix,
          key_id: key.key,
          role: "owner",
          user_email: made.email,
          user_id: made.user
        }
        yield* answer(created, () => [
          `Organization ${plain(name)}: ${made.organization}`,
          `Owner ${plain(made.email)}, key (shown only now): ${full}`
        ])
      })
    )
).pipe(Command.withDescription("Register an organization, its owner and the owner's key"))

const list = Command.make("list", {}, () =>
  onLog(
    Effect.gen(function* () {
      yield* upToDate(Keys)
      const known = yield* organizations
      yield* answer({ organizations: known.map(({ id, name, tier }) => ({ organization_id: id, name, tier })) }, () =>
        table(
          ["id", "name", "tier"],
          known.map(({ id, name, tier }) => [id, name, tier])
        )
      )
    })
  )
).pipe(Command.withDescription("List the organizations, the first one registered first"))

export const command = Command.make("org").pipe(
  Command.withDescription("Organizations"),
  Command.withSubcommands([create, list])
)
