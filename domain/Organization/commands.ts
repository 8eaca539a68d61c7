import { Data } from "effect"
import type { ActsFor, KeyLimits, KeyNotFound, NewKey, Role } from "../Key.ts"
import type { Tier } from "../Tier.ts"

export interface Member {
  readonly user: string
  readonly email: string
}

/** What a command says of a key's bounds. */
export interface AskedLimits extends Partial<Omit<KeyLimits, "actsFor">> {
  /** Unless given for a new key: `own` for members and readers, `any` for owners and admins. */
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
  /** `subject`: whose text the slug is; `null`: it is free again, and its text is gone. */
  TellSlug: { readonly organization: string; readonly subject: string; readonly slug: string | null }
  CreateKey: {
    /** The key whose authority counts; `null` is the operator at the command line. */
    readonly by: string | null
    readonly member: Member
    /**
     * More than the person has makes it the person's; less, the key's own. `null`: a member's for who is new, and the
     * person's for who is not, but no more than the maker has.
     */
    readonly role: Role | null
    readonly key: NewKey
    readonly limits?: AskedLimits
  }
  /** Changes those bounds that are given. */
  LimitKey: { readonly by: string | null; readonly key: string; readonly limits: AskedLimits }
  RevokeKey: { readonly by: string | null; readonly key: string }
  ChangeRole: { readonly by: string | null; readonly user: string; readonly role: Role }
  /** `operates`: it is the organization of who operates the service. */
  EraseOrganization: { readonly by: string | null; readonly organization: string; readonly operates: boolean }
  /** Of an organization that was erased, at most 500 subjects. */
  EraseOrganizationText: { readonly organization: string; readonly subjects: ReadonlyArray<string> }
  EndErasure: { readonly organization: string }
  EraseMember: { readonly by: string | null; readonly user: string }
}>
export const OrganizationCommand = Data.taggedEnum<OrganizationCommand>()

/** The id is taken. */
export class OrganizationExists extends Data.TaggedError("OrganizationExists")<{ readonly organization: string }> {}
/** There is no such organization, or the key that gives the command is no live one of it. */
export class NotOrganizationMember extends Data.TaggedError("NotOrganizationMember") {}
/** Members manage keys in organizations of the tier ENTERPRISE only; `tier` is this one's. */
export class EnterpriseRequired extends Data.TaggedError("EnterpriseRequired")<{ readonly tier: Tier }> {}
/** Owners and admins manage keys; `role` is that of whoever tried. */
export class AdminKeyRequired extends Data.TaggedError("AdminKeyRequired")<{ readonly role: Role }> {}
/**
 * An admin's key may make members and readers only, and nobody's may make an owner; `role` is that of whoever tried.
 */
export class OnlyOwnerCanPromote extends Data.TaggedError("OnlyOwnerCanPromote")<{ readonly role: Role }> {}
/** One more would be more than the `limit` members that the organization may have. */
export class MemberLimitReached extends Data.TaggedError("MemberLimitReached")<{ readonly limit: number }> {}
/** No member has this id. */
export class MemberNotFound extends Data.TaggedError("MemberNotFound")<{ readonly user: string }> {}
/** Whoever the organization was registered for stays, and stays its owner, or nobody could answer for it. */
export class OwnerStays extends Data.TaggedError("OwnerStays") {}

/** An organization is its owners' to erase; `role` is that of whoever tried. */
export class OnlyOwnerErases extends Data.TaggedError("OnlyOwnerErases")<{ readonly role: Role }> {}
/** Who operates the service is an owner of this organization. */
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
