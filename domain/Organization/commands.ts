import { Data } from "effect"
import type { ActsFor, KeyLimits, KeyNotFound, NewKey, Role } from "../Key.ts"
import type { Tier } from "../Tier.ts"

export interface Member {
  readonly user: string
  readonly email: string
}

/** The limits that a command asks for. */
export interface AskedLimits extends Partial<Omit<KeyLimits, "actsFor">> {
  /** The default for a new key: `own` for members and readers, `any` for owners and admins. */
  readonly actsFor?: ActsFor
}

export type OrganizationCommand = Data.TaggedEnum<{
  RegisterOrganization: {
    readonly organization: string
    readonly name: string
    /** Keys every digest of the tenant; random. */
    readonly secret: string
    readonly tier: Tier
    readonly memberLimit: number
    readonly owner: Member
    readonly key: NewKey
  }
  RenameOrganization: { readonly by: string | null; readonly organization: string; readonly name: string }
  /** `subject`: the slug's. `slug`: `null` if the slug is free again and its text is gone. */
  TellSlug: { readonly organization: string; readonly subject: string; readonly slug: string | null }
  CreateKey: {
    /** The key whose authority counts; `null` is the operator at the command line. */
    readonly by: string | null
    readonly member: Member
    /**
     * A role above the person's becomes the person's; a lesser one is the key's own. `null`: a member's for a new
     * person, else the person's; but never more than the maker's.
     */
    readonly role: Role | null
    readonly key: NewKey
    readonly limits?: AskedLimits
  }
  /** Changes only the limits that are given. */
  LimitKey: { readonly by: string | null; readonly key: string; readonly limits: AskedLimits }
  RevokeKey: { readonly by: string | null; readonly key: string }
  ChangeRole: { readonly by: string | null; readonly user: string; readonly role: Role }
  /** `operates`: whether this is the operator's own organization. */
  EraseOrganization: { readonly by: string | null; readonly organization: string; readonly operates: boolean }
  /** For an organization that was erased; at most 500 subjects. */
  EraseOrganizationText: { readonly organization: string; readonly subjects: ReadonlyArray<string> }
  EndErasure: { readonly organization: string }
  EraseMember: { readonly by: string | null; readonly user: string }
}>
export const OrganizationCommand = Data.taggedEnum<OrganizationCommand>()

/** The id is taken. */
export class OrganizationExists extends Data.TaggedError("OrganizationExists")<{ readonly organization: string }> {}
/** There is no such organization, or the key that gives the command is not a live key of it. */
export class NotOrganizationMember extends Data.TaggedError("NotOrganizationMember") {}
/** Only organizations of the tier ENTERPRISE let their members manage keys; `tier` is this one's. */
export class EnterpriseRequired extends Data.TaggedError("EnterpriseRequired")<{ readonly tier: Tier }> {}
/** Only owners and admins manage keys; `role` is the caller's. */
export class AdminKeyRequired extends Data.TaggedError("AdminKeyRequired")<{ readonly role: Role }> {}
/** An admin's key may make only members and readers, and no key may make an owner; `role` is the caller's. */
export class OnlyOwnerCanPromote extends Data.TaggedError("OnlyOwnerCanPromote")<{ readonly role: Role }> {}
/** The organization has as many members as it may have, which is `limit`. */
export class MemberLimitReached extends Data.TaggedError("MemberLimitReached")<{ readonly limit: number }> {}
/** No member has this id. */
export class MemberNotFound extends Data.TaggedError("MemberNotFound")<{ readonly user: string }> {}
/** The person whom the organization was registered for stays its owner, or nobody could answer for it. */
export class OwnerStays extends Data.TaggedError("OwnerStays") {}

/** Only an owner may erase an organization; `role` is the caller's. */
export class OnlyOwnerErases extends Data.TaggedError("OnlyOwnerErases")<{ readonly role: Role }> {}
/** This is the operator's own organization, which stays. */
export class OperatorStays extends Data.TaggedError("OperatorStays") {}
/** There is no such organization, or it was not erased. */
export class NotErased extends Data.TaggedError("NotErased")<{ readonly organization: string }> {}

export type OrganizationRefusal =
  | OrganizationExists
  | NotOrganizationMember
  | EnterpriseRequired
  | AdminKeyRequired
  | OnlyOwnerCanPromote
  | MemberLimitReached
  | MemberNotFound
  | OwnerStays
  | OnlyOwnerErases
  | OperatorStays
  | NotErased
  | KeyNotFound
