import { Data } from "effect"
import { isAbove, type KeyLimits, type Role } from "../Key.ts"
import { AdminKeyRequired, EnterpriseRequired, NotOrganizationMember } from "../Organization/commands.ts"
import type { Holder } from "../Scope.ts"
import { type Access, operations } from "./operations.ts"

/** A greater role may; `role` is that of whoever tried. */
export class RoleRequired extends Data.TaggedError("RoleRequired")<{ readonly role: Role; readonly least: Role }> {}
/** The key only reads, and this writes. */
export class ReadOnlyKey extends Data.TaggedError("ReadOnlyKey") {}
/**
 * What concerns all of the organization is not for a key that is limited to some workspaces or models, or to its
 * person's own.
 */
export class LimitedKey extends Data.TaggedError("LimitedKey") {}
/** It concerns all organizations, and is for the owners of the operator's own. */
export class OperatorRequired extends Data.TaggedError("OperatorRequired") {}
/** The operation is not in the table: a mistake of ours, and nobody's permission. */
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

/** Why the holder of a key may not do an operation; `undefined`: they may, within what bounds their key. */
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

/** Whether a key reaches a part of the organization only. */
export const isLimited = ({ actsFor, workspaces, models }: KeyLimits): boolean =>
  actsFor === "own" || workspaces !== null || models !== null

/** Whether a key's time is over, at a time in milliseconds. */
export const isExpired = ({ limits: { expiresAt } }: Holder, now: number): boolean =>
  expiresAt !== null && now >= expiresAt

/** Whether a key that was let in may still do an operation: what is under way ends when it may not. */
export const isPermitted = (holder: Holder | undefined, operation: string, now: number): holder is Holder =>
  holder !== undefined && !isExpired(holder, now) && refusalOf(holder, operation) === undefined
