import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Tier } from "#domain/Tier.ts"
import { organizations, shownOrganization } from "#projections/Keys/organizations.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { registerOrganization } from "#src/keys/bootstrap.ts"
import { changeSlug } from "#src/keys/changeSlug.ts"
import { Failed } from "./failure.ts"
import { email, slug, text } from "./fields.ts"
import { onLog, reach, upToDate } from "./log.ts"
import { metadata } from "./metadata.ts"
import { commanded, organizationOf } from "./organization.ts"
import { erasure, remove } from "./orgDelete.ts"
import { orgLines, orgTable } from "./orgTable.ts"
import { answer, plain } from "./output.ts"

/** Whether two names are the same to a reader. */
const sameName = (one: string, other: string): boolean =>
  one.trim().normalize("NFC").toLowerCase() === other.trim().normalize("NFC").toLowerCase()

const slugFlag = (about: string) =>
  Flag.String("slug").pipe(Flag.withDescription(about), Flag.withSchema(slug), Flag.optional)

/** The failure that another organization has a slug. */
const taken = (asked: string) =>
  new Failed({ message: `Another organization has the slug ${asked}: choose another one. See \`cairn org list\`.` })

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("Its name"), Flag.withSchema(text(200))),
    slug: slugFlag("Its short name in addresses (default: made from the name)"),
    tier: Flag.Literals("tier", Tier.literals).pipe(Flag.withDescription("What it may use")),
    ownerEmail: Flag.String("owner-email").pipe(Flag.withDescription("Its owner"), Flag.withSchema(email)),
    memberLimit: Flag.Int("member-limit").pipe(
      Flag.withDescription("How many members it may have, with the owner (default: its tier's)"),
      Flag.filter(
        (limit) => limit >= 1 && limit <= 1_000_000,
        () => "expected a number from 1 to 1000000"
      ),
      Flag.optional
    )
  },
  ({ name, slug, tier, ownerEmail, memberLimit }) =>
    onLog(
      Effect.gen(function* () {
        yield* upToDate(Keys)
        const other = (yield* organizations).find((one) => sameName(one.name, name))
        if (other !== undefined) {
          return yield* new Failed({
            message: `There is an organization ${plain(other.name)} already, ${other.id}: choose another name, which --org can tell from it.`
          })
        }
        const limit = Option.isSome(memberLimit) ? { memberLimit: memberLimit.value } : {}
        const asked = Option.isSome(slug) ? { slug: slug.value } : {}
        const made = yield* registerOrganization({ name, ...asked, tier, ownerEmail, ...limit }).pipe(
          Effect.catchTag("SlugInUse", () => taken(asked.slug ?? ""))
        )
        yield* reach([Keys], made.position)
        const shown = yield* shownOrganization(made.organization)
        const { full, key } = made.key
        const created = {
          organization_id: made.organization,
          organization_name: name,
          slug: shown?.slug ?? "",
          tier,
          key: full,
          key_prefix: key.prefix,
          key_id: key.key,
          role: "owner",
          user_email: made.email,
          user_id: made.user
        }
        yield* answer(created, () => [
          `Organization ${plain(name)}: ${made.organization}, slug ${created.slug}`,
          `Owner ${plain(made.email)}, key (shown only now): ${full}`
        ])
      }),
      // the first one may come before the first start
      { begin: true }
    )
).pipe(Command.withDescription("Register an organization, its owner and the owner's key"))

const list = Command.make("list", {}, () =>
  onLog(
    Effect.gen(function* () {
      yield* upToDate(Keys)
      const known = yield* organizations
      const rows = known.map(({ id, name, slug, tier }) => ({ organization_id: id, name, slug, tier }))
      yield* answer({ organizations: rows }, () => orgTable(rows))
    })
  )
).pipe(Command.withDescription("List the organizations, in the order of their registration"))

const which = Argument.String("organization").pipe(Argument.withDescription("Its id, its slug, or its name"))

/** Prints an organization as it is now. */
const told = Effect.fnUntraced(function* (id: string) {
  const organization = yield* shownOrganization(id)
  if (organization === undefined) return yield* new Failed({ message: "The organization is there no more." })
  yield* answer(organization, () => orgLines(organization))
})

const show = Command.make("show", { which }, ({ which }) =>
  onLog(Effect.flatMap(organizationOf(Option.some(which)), ({ id }) => told(id)))
).pipe(Command.withDescription("Show an organization: its name, slug, tier and members"))

const rename = Command.make(
  "rename",
  {
    which,
    name: Flag.String("name").pipe(Flag.withDescription("Its new name"), Flag.withSchema(text(200)), Flag.optional),
    slug: slugFlag("Its new slug; the old one becomes free")
  },
  ({ which, name, slug }) =>
    onLog(
      Effect.gen(function* () {
        if (Option.isNone(name) && Option.isNone(slug))
          return yield* new Failed({ message: "Nothing is to change: give --name, --slug, or both of them." })
        const { id } = yield* organizationOf(Option.some(which))
        if (Option.isSome(slug)) {
          const events = yield* changeSlug(id, slug.value, metadata()).pipe(
            Effect.catchTag("SlugInUse", () => taken(slug.value))
          )
          const last = events.at(-1)
          if (last !== undefined) yield* reach([Keys], last.position)
        }
        if (Option.isSome(name))
          yield* commanded(id, OrganizationCommand.RenameOrganization({ by: null, organization: id, name: name.value }))
        yield* told(id)
      })
    )
).pipe(Command.withDescription("Change an organization's name, its slug, or both"))

export const command = Command.make("org").pipe(
  Command.withDescription("Organizations"),
  Command.withSubcommands([create, list, show, rename, remove, erasure])
)
