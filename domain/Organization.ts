import { Data, HashMap, Option, Result, Schema } from "effect"
import type { Decider } from "#engine/Decider.ts"
import { text } from "#engine/Event.ts"
import { KeyCreated, KeyNotFound, KeyRevoked, type NewKey, Role } from "./Key.ts"
import { userSubject } from "./Person.ts"
import { Tier } from "./Tier.ts"

/** Stored for good: add a tag or a version, never change the meaning of one. */
export const OrganizationEvent = Schema.TaggedUnion({
  OrganizationRegistered: {
    organization: Schema.String,
    tier: Tier,
    memberLimit: Schema.Int,
    ...text({ name: Schema.String, secret: Schema.String })
  },
  MemberAdded: { user: Schema.String, role: Role, ...text({ email: Schema.String }) },
  /** Comes behind the revocation of the member's keys; what the organization knew of the person is gone with it. */
  MemberErased: { user: Schema.String, subject: Schema.String },
  KeyCreated,
  KeyRevoked
})
export type OrganizationEvent = typeof OrganizationEvent.Type
const { OrganizationRegistered, MemberAdded, MemberErased, ...keys } = OrganizationEvent.cases
const { KeyCreated: Created, KeyRevoked: Revoked } = keys

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
  CreateKey: {
    /** The key whose authority counts; `null` is the operator at the command line. */
    readonly by: string | null
    readonly member: Member
    /** `null`: a member's role for who is new, and the person's own for who is not, but no more than the maker has. */
    readonly role: Role | null
    readonly key: NewKey
  }
  RevokeKey: { readonly by: string | null; readonly key: string }
  EraseMember: { readonly by: string | null; readonly user: string }
}>
export const OrganizationCommand = Data.taggedEnum<OrganizationCommand>()

interface Member {
  readonly user: string
  readonly email: string
}

/** The id is taken. */
export class OrganizationExists extends Data.TaggedError("OrganizationExists")<{ readonly organization: string }> {}
/** There is no such organization, or the key that gives the command is no live one of it. */
export class NotOrganizationMember extends Data.TaggedError("NotOrganizationMember") {}
/** Members manage keys in organizations of the tier ENTERPRISE only; `tier` is this one's. */
export class EnterpriseRequired extends Data.TaggedError("EnterpriseRequired")<{ readonly tier: Tier }> {}
/** Owners and admins manage keys; `role` is that of whoever tried. */
export class AdminKeyRequired extends Data.TaggedError("AdminKeyRequired")<{ readonly role: Role }> {}
/** An admin's key may make members only, and nobody's may make an owner; `role` is that of whoever tried. */
export class OnlyOwnerCanPromote extends Data.TaggedError("OnlyOwnerCanPromote")<{ readonly role: Role }> {}
/** One more would be more than the `limit` members that the organization may have. */
export class MemberLimitReached extends Data.TaggedError("MemberLimitReached")<{ readonly limit: number }> {}
/** No member has this id. */
export class MemberNotFound extends Data.TaggedError("MemberNotFound")<{ readonly user: string }> {}
/** Whoever the organization was registered for stays, or nobody could answer for it. */
export class OwnerStays extends Data.TaggedError("OwnerStays") {}

export type OrganizationRefusal =
  | OrganizationExists
  | NotOrganizationMember
  | EnterpriseRequired
  | AdminKeyRequired
  | OnlyOwnerCanPromote
  | MemberLimitReached
  | MemberNotFound
  | OwnerStays
  | KeyNotFound

interface LiveKey {
  readonly user: string
  readonly role: Role
}

/**
 * Its maps share what has not changed with those before: an event costs the same, however many members and keys there
 * are.
 */
export interface OrganizationState {
  readonly registered: { readonly tier: Tier; readonly memberLimit: number } | undefined
  /** The first one with an owner's role. */
  readonly owner: string | undefined
  /** Each with the role that they joined with. */
  readonly members: HashMap.HashMap<string, Role>
  /** How often each user was erased: an erased subject takes no text again, so that a later one has another name. */
  readonly erased: HashMap.HashMap<string, number>
  /** Keys that are not revoked. */
  readonly keys: HashMap.HashMap<string, LiveKey>
}

const found = <V>(map: HashMap.HashMap<string, V>, key: string): V | undefined =>
  Option.getOrUndefined(HashMap.get(map, key))

/** Who may manage keys: a live admin's or owner's key of an enterprise organization, or the operator. */
const authority = (
  state: OrganizationState,
  by: string | null,
  on: ReadonlyArray<Tier> = ["ENTERPRISE"]
): Result.Result<Role, OrganizationRefusal> => {
  if (state.registered === undefined) return Result.fail(new NotOrganizationMember())
  if (by === null) return Result.succeed("owner")
  const key = found(state.keys, by)
  if (key === undefined) return Result.fail(new NotOrganizationMember())
  const { tier } = state.registered
  if (!on.includes(tier)) return Result.fail(new EnterpriseRequired({ tier }))
  if (key.role === "member") return Result.fail(new AdminKeyRequired({ role: key.role }))
  return Result.succeed(key.role)
}

/** The lesser of two roles. */
const lesser = (one: Role, other: Role): Role =>
  Role.literals.indexOf(one) > Role.literals.indexOf(other) ? one : other

const subjectIn = ({ erased }: OrganizationState, user: string) => userSubject(user, found(erased, user) ?? 0)

const created = (user: string, role: Role, { key, name, hash, prefix }: NewKey, subject: string) =>
  Created.make({ key, user, role, hash, prefix, subject, text: { name } })

const joined = ({ user, email }: Member, role: Role, subject: string) =>
  MemberAdded.make({ user, role, subject, text: { email } })

/** One organization: its members up to the cap, and their keys. */
export const Organization: Decider<OrganizationCommand, OrganizationEvent, OrganizationState, OrganizationRefusal> = {
  initial: {
    registered: undefined,
    owner: undefined,
    members: HashMap.empty(),
    erased: HashMap.empty(),
    keys: HashMap.empty()
  },

  decide: (command, state) =>
    OrganizationCommand.$match(command, {
      RegisterOrganization: ({ organization, name, secret, tier, memberLimit, owner, key }) =>
        state.registered !== undefined
          ? Result.fail(new OrganizationExists({ organization }))
          : Result.succeed([
              OrganizationRegistered.make({
                organization,
                tier,
                memberLimit,
                subject: `organization/${organization}`,
                text: { name, secret }
              }),
              joined(owner, "owner", subjectIn(state, owner.user)),
              created(owner.user, "owner", key, subjectIn(state, owner.user))
            ]),

      CreateKey: ({ by, member, role: wanted, key }) =>
        Result.flatMap(authority(state, by), (holder): Result.Result<Array<OrganizationEvent>, OrganizationRefusal> => {
          // nobody is made an owner by asking for it, but by the registration or the operator
          if (wanted === "owner" && by !== null) return Result.fail(new OnlyOwnerCanPromote({ role: holder }))
          if (wanted !== null && wanted !== "member" && holder !== "owner")
            return Result.fail(new OnlyOwnerCanPromote({ role: holder }))
          const role = wanted ?? lesser(found(state.members, member.user) ?? "member", holder)
          const subject = subjectIn(state, member.user)
          if (HashMap.has(state.members, member.user)) return Result.succeed([created(member.user, role, key, subject)])
          const limit = state.registered!.memberLimit
          if (HashMap.size(state.members) >= limit) return Result.fail(new MemberLimitReached({ limit }))
          return Result.succeed([joined(member, role, subject), created(member.user, role, key, subject)])
        }),

      RevokeKey: ({ by, key }) =>
        Result.flatMap(authority(state, by), (): Result.Result<Array<OrganizationEvent>, OrganizationRefusal> => {
          const live = found(state.keys, key)
          return live === undefined
            ? Result.fail(new KeyNotFound({ key }))
            : Result.succeed([Revoked.make({ key, user: live.user })])
        }),

      // on every tier: to be forgotten is no feature
      EraseMember: ({ by, user }) =>
        Result.flatMap(
          authority(state, by, Tier.literals),
          (): Result.Result<Array<OrganizationEvent>, OrganizationRefusal> => {
            if (!HashMap.has(state.members, user)) return Result.fail(new MemberNotFound({ user }))
            if (user === state.owner) return Result.fail(new OwnerStays())
            const theirs = [...state.keys].filter(([, holder]) => holder.user === user).map(([key]) => key)
            return Result.succeed([
              ...theirs.sort().map((key) => Revoked.make({ key, user })),
              MemberErased.make({ user, subject: subjectIn(state, user) })
            ])
          }
        )
    }),

  evolve: (state, event) =>
    OrganizationEvent.match(event, {
      OrganizationRegistered: ({ tier, memberLimit }) => ({ ...state, registered: { tier, memberLimit } }),
      MemberAdded: ({ user, role }) => ({
        ...state,
        owner: state.owner ?? (role === "owner" ? user : undefined),
        members: HashMap.set(state.members, user, role)
      }),
      MemberErased: ({ user }) => ({
        ...state,
        members: HashMap.remove(state.members, user),
        erased: HashMap.set(state.erased, user, (found(state.erased, user) ?? 0) + 1)
      }),
      KeyCreated: ({ key, user, role }) => ({ ...state, keys: HashMap.set(state.keys, key, { user, role }) }),
      KeyRevoked: ({ key }) => ({ ...state, keys: HashMap.remove(state.keys, key) })
    })
}
