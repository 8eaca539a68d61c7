import { Data } from "effect"
import { isAbove, type KeyLimits, type Role } from "../Key.ts"
import { AdminKeyRequired, EnterpriseRequired, NotOrganizationMember } from "../Organization/commands.ts"
import type { Holder } from "../Scope.ts"
import { type Access, operations } from "./operations.ts"

/** The operation needs the role `least` or a greater one; `role` is the caller's. */
export class RoleRequired extends Data.TaggedError("RoleRequired")<{ readonly role: Role; readonly least: Role }> {}
/** The key only reads, and the operation writes. */
export class ReadOnlyKey extends Data.TaggedError("ReadOnlyKey") {}
/**
 * The operation concerns the whole organization, and the key is limited to some workspaces or models, or to its own
 * person's.
 */
export class LimitedKey extends Data.TaggedError("LimitedKey") {}
/** The operation concerns all organizations, and is only for owners of the operator's own. */
export class OperatorRequired extends Data.TaggedError("OperatorRequired") {}
/** The operation is not in the table. This is a mistake of ours, and nobody may do it. */
export class UnlistedOperation extends Data.TaggedError("UnlistedOperation")<{ readonly operation: string }> {}

export type AccessRefusal =
  | NotOrganizationMember
  | EnterpriseRequired
  | AdminKeyRequired
  | RoleRequired
  | ReadOnlyKey
  | LimitedKey
  | OperatorRequired
  | UnlistedOperation

/** What the table says of an operation. */
export const accessOf = (operation: string): Access | undefined =>
  Object.hasOwn(operations, operation) ? operations[operation as keyof typeof operations] : undefined

/** Why the holder of a key may not do an operation; `undefined`: they may, within the limits of their key. */
export const refusalOf = (holder: Holder, operation: string): AccessRefusal | undefined => {
  const access = accessOf(operation)
  if (access === undefined) return new UnlistedOperation({ operation })
  const { least, does, needs, within, actsFor } = access
  if (least === "anyone") return undefined
  const { role, organization, tier, limits, operates } = holder
  if (needs !== undefined && organization === null) return new NotOrganizationMember()
  if (needs === "ENTERPRISE" && tier !== "ENTERPRISE") return new EnterpriseRequired({ tier })
  if (isAbove(least, role))
    return least === "admin" ? new AdminKeyRequired({ role }) : new RoleRequired({ role, least })
  if (does === "writes" && limits.readOnly) return new ReadOnlyKey()
  if (actsFor === "any" && limits.actsFor === "own") return new LimitedKey()
  const isPartial = limits.workspaces !== null || limits.models !== null
  if (isAbove(least, "member") && within === undefined && isPartial) return new LimitedKey()
  return needs === "operator" && !operates ? new OperatorRequired() : undefined
}

/** Whether a key reaches only a part of the organization. */
export const isLimited = ({ actsFor, workspaces, models }: KeyLimits): boolean =>
  actsFor === "own" || workspaces !== null || models !== null

/** Whether a key has expired at a time in milliseconds. */
export const isExpired = ({ limits: { expiresAt } }: Holder, now: number): boolean =>
  expiresAt !== null && now >= expiresAt

/** Whether a key that was let in may still do an operation. If not, what is under way ends. */
export const isPermitted = (holder: Holder | undefined, operation: string, now: number): holder is Holder =>
  holder !== undefined && !isExpired(holder, now) && refusalOf(holder, operation) === undefined
