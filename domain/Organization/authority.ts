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
  /** `null`: its person's. */
  readonly role: Role | null
  readonly limits: KeyLimits
}

/**
 * Its maps share what has not changed with those before: an event costs the same, however many members and keys there
 * are.
 */
export interface OrganizationState {
  readonly registered: { readonly tier: Tier; readonly memberLimit: number } | undefined
  /** Whether it was erased, and how far that is. */
  readonly erasure: "none" | "begun" | "ended"
  /** The first one with an owner's role. */
  readonly owner: string | undefined
  /** The subject of the slug that it was told last; `null`: of none. */
  readonly slug: string | null
  /** Each with their role. */
  readonly members: HashMap.HashMap<string, Role>
  /** How often each user was erased: an erased subject takes no text again, so that a later one has another name. */
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

/** With what a command is given: the operator has no bounds. */
export interface Authority {
  readonly role: Role
  readonly limits: KeyLimits
}

/** Who may manage keys: a live admin's or owner's key of an enterprise organization, or the operator. */
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

/** Whose text an organization's name and secret are. */
export const organizationSubject = (organization: string): string => `organization/${organization}`

/** Whose text a person's is here, now. */
export const subjectIn = ({ erased }: OrganizationState, user: string) => userSubject(user, found(erased, user) ?? 0)

/** What is asked for on top of what there is; no key outlives the one that made it so. */
export const bounded = (before: KeyLimits, asked: AskedLimits, maker: KeyLimits): KeyLimits => {
  const limits = { ...before, ...asked }
  const ends = [limits.expiresAt, maker.expiresAt].filter((end) => end !== null)
  return { ...limits, expiresAt: ends.length === 0 ? null : Math.min(...ends) }
}

/** For whom a key with a role acts, unless told. */
export const actingFor = (role: Role): KeyLimits["actsFor"] => (isAbove(role, "member") ? "any" : "own")
