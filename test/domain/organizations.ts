import { type KeyLimits, type Role, unlimited } from "#domain/Key.ts"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { OrganizationEvent } from "#domain/Organization/events.ts"
import type { Tier } from "#domain/Tier.ts"

const { RegisterOrganization, CreateKey, RevokeKey, EraseMember } = OrganizationCommand
const { OrganizationRegistered, MemberAdded, MemberRoleChanged, MemberErased, KeyCreated, KeyRevoked } =
  OrganizationEvent.cases

export const newKey = (key: string) => ({
  key,
  name: `name of ${key}`,
  hash: `hash of ${key}`,
  prefix: "cairn_live_abcdefghi"
})
export const person = (user: string) => ({ user, email: `${user}@example.org` })

export const registered = (tier: Tier = "ENTERPRISE", memberLimit = 3) =>
  OrganizationRegistered.make({
    organization: "acme",
    tier,
    memberLimit,
    subject: "organization/acme",
    text: { name: "Acme", secret: "s3cret" }
  })
export const added = (user: string, role: Role, subject = `user/${user}`) =>
  MemberAdded.make({ user, role, subject, text: { email: `${user}@example.org` } })
/** With a role of its own unless it is `null`, and with no other bounds, as all keys were once. */
export const created = (key: string, user: string, role: Role | null, subject = `user/${user}`, limits = unlimited) => {
  const { name, hash, prefix } = newKey(key)
  return KeyCreated.make({ key, user, role, hash, prefix, ...limits, subject, text: { name, userId: null } })
}
export const acting = (role: Role): KeyLimits => ({
  ...unlimited,
  actsFor: role === "owner" || role === "admin" ? "any" : "own"
})
/** A key as it is made now, for a person with this role: it has none of its own. */
export const made = (user: string, role: Role, subject = `user/${user}`) =>
  created("new", user, null, subject, acting(role))
/** One with less than its person has. */
export const lesser = (user: string, role: Role) => created("new", user, role, `user/${user}`, acting(role))
export const promoted = (user: string, role: Role) => MemberRoleChanged.make({ user, role })
export const erased = (user: string, subject = `user/${user}`) => MemberErased.make({ user, subject })
export const revoked = (key: string, user: string) => KeyRevoked.make({ key, user })

export const owned = (tier?: Tier, limit?: number) => [
  registered(tier, limit),
  added("olga", "owner"),
  created("of-owner", "olga", "owner")
]
/** An owner, an admin and a member with a key each, in an organization for three. */
export const staffed = (tier?: Tier) => [
  ...owned(tier),
  ...[added("ada", "admin"), created("of-admin", "ada", "admin")],
  ...[added("max", "member"), created("of-member", "max", "member")]
]

export const create = (by: string | null, user: string, role: Role | null = "member") =>
  CreateKey({ by, member: person(user), role, key: newKey("new") })
export const revoke = (by: string | null, key: string) => RevokeKey({ by, key })
export const erase = (by: string | null, user: string) => EraseMember({ by, user })

export const register = RegisterOrganization({
  organization: "acme",
  name: "Acme",
  secret: "s3cret",
  tier: "ENTERPRISE",
  memberLimit: 3,
  owner: person("olga"),
  key: newKey("of-owner")
})
