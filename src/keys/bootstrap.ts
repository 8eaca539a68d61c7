import { randomBytes, randomUUID } from "node:crypto"
import { Effect, Redacted } from "effect"
import { keyHash } from "#domain/Key.ts"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { normalEmail, operatorEmail, personId } from "#domain/Person.ts"
import { memberLimit, type Tier } from "#domain/Tier.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Claims } from "#engine/ports/Claims.ts"
import { Installation } from "#ports/Installation.ts"
import { holderOf } from "#projections/Keys/holders.ts"
import { organizations } from "#projections/Keys/organizations.ts"
import { operator } from "#src/actor.ts"
import { changeSlug } from "./changeSlug.ts"
import { ForeignOwnerKey } from "./ForeignOwnerKey.ts"
import { type IssuedKey, issueKey, storedKey } from "./issue.ts"
import { keysAreThere } from "./keysAreThere.ts"
import { giveSlug } from "./slugs.ts"

export interface NewOrganization {
  readonly name: string
  /** By default made from the name, with a number if that is taken. */
  readonly slug?: string
  readonly tier: Tier
  readonly ownerEmail: string
  readonly memberLimit?: number
  /** The owner's key, if the operator chose it. */
  readonly ownerKey?: string
}

/** Metadata of an operator's command about an organization's slug; giving the command again changes nothing. */
const slugMetadata = (verb: string, organization: string) => {
  const commandId = derivedId(verb, organization)
  return { commandId, correlationId: commandId, actor: operator }
}

/** Gives an organization without a slug one made from its name. If none is free, the reaction tries again. */
const slugged = (organization: string, name: string) =>
  giveSlug(organization, name, slugMetadata("give_slug", organization)).pipe(
    Effect.catchTag("SlugInUse", () => Effect.succeed([]))
  )

/**
 * Registers an organization, its owner, and the owner's first key. A slug that is asked for is taken first: if another
 * organization has it, nothing is registered.
 */
export const registerOrganization = Effect.fnUntraced(function* (given: NewOrganization) {
  const { secret } = yield* Installation
  const organization = randomUUID()
  const email = normalEmail(given.ownerEmail)
  const id = randomUUID()
  const issued: IssuedKey =
    given.ownerKey === undefined
      ? issueKey(id, "owner")
      : { full: given.ownerKey, key: storedKey(given.ownerKey, id, "owner") }
  const commandId = randomUUID()
  const user = personId(secret, email)
  if (given.slug !== undefined) yield* changeSlug(organization, given.slug, slugMetadata("take_slug", organization))
  const events = yield* dispatch(Organization, {
    tenant: organization,
    stream: `organization-${organization}`,
    command: OrganizationCommand.RegisterOrganization({
      organization,
      name: given.name,
      secret: randomBytes(32).toString("hex"),
      tier: given.tier,
      memberLimit: given.memberLimit ?? memberLimit(given.tier),
      owner: { user, email },
      key: issued.key
    }),
    commandId,
    correlationId: commandId,
    actor: operator
  })
  const slugs = given.slug === undefined ? yield* slugged(organization, given.name) : []
  return { organization, user, email, key: issued, position: [...events, ...slugs].at(-1)!.position }
})

/**
 * On an empty store, registers the organization `Cairn` with an owner. A key that it makes goes to `keep` before that,
 * so that no crash leaves an organization whose key nobody has. On any other store, a configured key must be an
 * owner's. Processes that start at once take turns.
 */
export const bootstrap = (
  ownerKey: Redacted.Redacted | undefined,
  keep: (key: string) => Effect.Effect<void> = () => Effect.void
) =>
  Effect.flatMap(Claims, ({ claim }) =>
    Effect.scoped(Effect.andThen(claim("bootstrap"), bootstrapAlone(ownerKey, keep)))
  )

const bootstrapAlone = Effect.fnUntraced(function* (
  ownerKey: Redacted.Redacted | undefined,
  keep: (key: string) => Effect.Effect<void>
) {
  yield* keysAreThere
  const known = yield* organizations
  // organizations from before there were slugs
  for (const { id, name, slug } of known) if (slug === "") yield* slugged(id, name)
  const given = ownerKey && Redacted.value(ownerKey)
  if (known.length === 0) {
    const key = given ?? issueKey("", "").full
    if (given === undefined) yield* keep(key)
    yield* registerOrganization({ name: "Cairn", tier: "ENTERPRISE", ownerEmail: operatorEmail, ownerKey: key })
  } else if (given !== undefined) {
    const holder = yield* holderOf(keyHash(given))
    if (holder?.role !== "owner" || holder.organization === null) return yield* new ForeignOwnerKey()
  }
})
