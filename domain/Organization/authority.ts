import { HashMap, Option, Result } from "effect"
import { isAbove, type KeyLimits, type Role, unlimited } from "../Key.ts"
import { userSubject } from "../Person.ts"
import type { Tier } from "../Tier.ts"
import {
  AdminKeyRequired,
  type AskedLimits,
  EnterpriseRequired,
  NotOrganizationMember,
  type OrganizationRefusal
} from "./commands.ts"

/** A key that is not revoked. */
export interface LiveKey {
  readonly user: string
  /** `null`: its person's role. */
  readonly role: Role | null
  readonly limits: KeyLimits
}

/**
 * Its maps share what has not changed with earlier states, so an event costs the same, however many members and keys
 * there are.
 */
export interface OrganizationState {
  readonly registered: { readonly tier: Tier; readonly memberLimit: number } | undefined
  /** Whether the organization was erased, and how far the erasure is. */
  readonly erasure: "none" | "begun" | "ended"
  /** The first member with an owner's role. */
  readonly owner: string | undefined
  /** The subject of the slug that the organization was told last; `null` if it was told none. */
  readonly slug: string | null
  /** Roles of the members. */
  readonly members: HashMap.HashMap<string, Role>
  /** How often each user was erased. An erased subject takes no more text, so a user who comes back gets a new one. */
  readonly erased: HashMap.HashMap<string, number>
  /** Keys that are not revoked. */
  readonly keys: HashMap.HashMap<string, LiveKey>
}

/** What a map has under a key; `undefined`: nothing. */
export const found = <V>(map: HashMap.HashMap<string, V>, key: string): V | undefined =>
  Option.getOrUndefined(HashMap.get(map, key))

/** A key's own role, or else its person's. */
export const roleOf = ({ members }: OrganizationState, { user, role }: LiveKey): Role =>
  role ?? found(members, user) ?? "reader"

/** The authority that a command is given with. The operator has no limits. */
export interface Authority {
  readonly role: Role
  readonly limits: KeyLimits
}

/** The authority to manage keys: an owner's or admin's live key on a tier in `on`, or the operator (`by` is `null`). */
export const authority = (
  state: OrganizationState,
  by: string | null,
  on: ReadonlyArray<Tier> = ["ENTERPRISE"]
): Result.Result<Authority, OrganizationRefusal> => {
  if (state.registered === undefined) return Result.fail(new NotOrganizationMember())
  if (by === null) return Result.succeed({ role: "owner", limits: unlimited })
  const key = found(state.keys, by)
  if (key === undefined) return Result.fail(new NotOrganizationMember())
  const { tier } = state.registered
  if (!on.includes(tier)) return Result.fail(new EnterpriseRequired({ tier }))
  const role = roleOf(state, key)
  if (isAbove("admin", role)) return Result.fail(new AdminKeyRequired({ role }))
  return Result.succeed({ role, limits: key.limits })
}

/** The subject of an organization's name and secret. */
export const organizationSubject = (organization: string): string => `organization/${organization}`

/** The subject of a person's text in this organization, as of now. */
export const subjectIn = ({ erased }: OrganizationState, user: string) => userSubject(user, found(erased, user) ?? 0)

/** The limits `before` with those that are `asked`. A key never outlives the key that made or limited it. */
export const bounded = (before: KeyLimits, asked: AskedLimits, maker: KeyLimits): KeyLimits => {
  const limits = { ...before, ...asked }
  const ends = [limits.expiresAt, maker.expiresAt].filter((end) => end !== null)
  return { ...limits, expiresAt: ends.length === 0 ? null : Math.min(...ends) }
}

/** For whom a key with this role acts by default. */
export const actingFor = (role: Role): KeyLimits["actsFor"] => (isAbove(role, "member") ? "any" : "own")
