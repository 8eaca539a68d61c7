import { HashMap, Result } from "effect"
import type { Decider } from "#engine/Decider.ts"
import { isAbove, type KeyLimits, KeyNotFound, lesser, type NewKey, type Role, unlimited } from "../Key.ts"
import { Tier } from "../Tier.ts"
import {
  actingFor,
  authority,
  bounded,
  found,
  type OrganizationState,
  organizationSubject,
  roleOf,
  subjectIn
} from "./authority.ts"
import {
  type Member,
  MemberLimitReached,
  MemberNotFound,
  NotErased,
  OnlyOwnerCanPromote,
  OnlyOwnerErases,
  OperatorStays,
  OrganizationCommand,
  OrganizationExists,
  type OrganizationRefusal,
  OwnerStays
} from "./commands.ts"
import { OrganizationEvent } from "./events.ts"

const Event = OrganizationEvent.cases
type Decision = Result.Result<Array<OrganizationEvent>, OrganizationRefusal>

const created = (
  user: string,
  role: Role | null,
  { key, name, hash, prefix, userId = null }: NewKey,
  limits: KeyLimits,
  subject: string
) => Event.KeyCreated.make({ key, user, role, hash, prefix, ...limits, subject, text: { name, userId } })

const joined = ({ user, email }: Member, role: Role, subject: string) =>
  Event.MemberAdded.make({ user, role, subject, text: { email } })

/** Changes a person's role. Keys with a greater role of their own lose it. */
const changed = (state: OrganizationState, user: string, role: Role): Array<OrganizationEvent> => {
  const greater = [...state.keys].filter(([, key]) => key.user === user && key.role !== null && isAbove(key.role, role))
  const lowered = greater.map(([key, { limits }]) => Event.KeyLimited.make({ key, role: null, ...limits }))
  const event = Event.MemberRoleChanged.make({ user, role })
  return found(state.members, user) === role ? lowered : [event, ...lowered]
}

const createKey = (
  state: OrganizationState,
  { by, member, role: wanted, key, limits = {} }: Extract<OrganizationCommand, { _tag: "CreateKey" }>
): Decision =>
  Result.flatMap(authority(state, by), (maker): Decision => {
    // only the registration or the operator makes an owner
    if (wanted === "owner" && by !== null) return Result.fail(new OnlyOwnerCanPromote({ role: maker.role }))
    if (wanted !== null && isAbove(wanted, "member") && maker.role !== "owner")
      return Result.fail(new OnlyOwnerCanPromote({ role: maker.role }))
    const known = found(state.members, member.user)
    const role = wanted ?? lesser(known ?? "member", maker.role)
    const subject = subjectIn(state, member.user)
    const bounds = bounded({ ...unlimited, actsFor: actingFor(role) }, limits, maker.limits)
    if (known !== undefined) {
      const own = isAbove(known, role) ? role : null
      const promotion = isAbove(role, known) ? [Event.MemberRoleChanged.make({ user: member.user, role })] : []
      return Result.succeed([...promotion, created(member.user, own, key, bounds, subject)])
    }
    const limit = state.registered!.memberLimit
    if (HashMap.size(state.members) >= limit) return Result.fail(new MemberLimitReached({ limit }))
    return Result.succeed([joined(member, role, subject), created(member.user, null, key, bounds, subject)])
  })

const same = (one: KeyLimits, other: KeyLimits): boolean => JSON.stringify(one) === JSON.stringify(other)

/** One organization: its members up to the cap, and their keys. */
export const Organization: Decider<OrganizationCommand, OrganizationEvent, OrganizationState, OrganizationRefusal> = {
  initial: {
    registered: undefined,
    erasure: "none",
    owner: undefined,
    slug: null,
    members: HashMap.empty(),
    erased: HashMap.empty(),
    keys: HashMap.empty()
  },

  decide: (command, state) =>
    OrganizationCommand.$match(command, {
      RegisterOrganization: ({ organization, name, secret, tier, memberLimit, owner, key }) =>
        state.registered !== undefined || state.erasure !== "none"
          ? Result.fail(new OrganizationExists({ organization }))
          : Result.succeed([
              Event.OrganizationRegistered.make({
                organization,
                tier,
                memberLimit,
                subject: organizationSubject(organization),
                text: { name, secret }
              }),
              joined(owner, "owner", subjectIn(state, owner.user)),
              created(owner.user, null, key, unlimited, subjectIn(state, owner.user))
            ]),

      // on every tier: a name is no feature
      RenameOrganization: ({ by, organization, name }) =>
        Result.map(authority(state, by, Tier.literals), () => [
          Event.OrganizationRenamed.make({ organization, subject: organizationSubject(organization), text: { name } })
        ]),

      // an organization that is not registered, or was erased, is told nothing
      TellSlug: ({ organization, subject, slug }): Decision => {
        if (state.registered === undefined || state.slug === subject) return Result.succeed([])
        const text = slug === null ? null : { slug }
        return Result.succeed([Event.OrganizationSlugChanged.make({ organization, former: state.slug, subject, text })])
      },

      CreateKey: (creation) => createKey(state, creation),

      LimitKey: ({ by, key, limits }) =>
        Result.flatMap(authority(state, by), (maker): Decision => {
          const live = found(state.keys, key)
          if (live === undefined) return Result.fail(new KeyNotFound({ key }))
          // nobody limits a key with more authority than their own
          if (isAbove(roleOf(state, live), maker.role))
            return Result.fail(new OnlyOwnerCanPromote({ role: maker.role }))
          const bounds = bounded(live.limits, limits, maker.limits)
          if (same(bounds, live.limits)) return Result.succeed([])
          return Result.succeed([Event.KeyLimited.make({ key, role: live.role, ...bounds })])
        }),

      RevokeKey: ({ by, key }) =>
        Result.flatMap(authority(state, by), (maker): Decision => {
          const live = found(state.keys, key)
          if (live === undefined) return Result.fail(new KeyNotFound({ key }))
          if (isAbove(roleOf(state, live), maker.role))
            return Result.fail(new OnlyOwnerCanPromote({ role: maker.role }))
          return Result.succeed([Event.KeyRevoked.make({ key, user: live.user })])
        }),

      ChangeRole: ({ by, user, role }) =>
        Result.flatMap(authority(state, by), (maker): Decision => {
          const before = found(state.members, user)
          if (before === undefined) return Result.fail(new MemberNotFound({ user }))
          const isPromoting = [role, before].some((one) => isAbove(one, "member"))
          if ((role === "owner" && by !== null) || (isPromoting && maker.role !== "owner"))
            return Result.fail(new OnlyOwnerCanPromote({ role: maker.role }))
          if (user === state.owner && role !== "owner") return Result.fail(new OwnerStays())
          return Result.succeed(changed(state, user, role))
        }),

      // on every tier: to be forgotten is no feature
      EraseOrganization: ({ by, organization, operates }) =>
        Result.flatMap(authority(state, by, Tier.literals), ({ role }): Decision => {
          if (role !== "owner") return Result.fail(new OnlyOwnerErases({ role }))
          if (operates) return Result.fail(new OperatorStays())
          const [members, keys] = [HashMap.size(state.members), HashMap.size(state.keys)]
          const subject = organizationSubject(organization)
          return Result.succeed([Event.OrganizationErased.make({ organization, members, keys, subject })])
        }),

      EraseOrganizationText: ({ organization, subjects }): Decision =>
        state.erasure === "none"
          ? Result.fail(new NotErased({ organization }))
          : Result.succeed([Event.TextErased.make({ user: organization, subjects })]),

      EndErasure: ({ organization }): Decision => {
        if (state.erasure === "none") return Result.fail(new NotErased({ organization }))
        return Result.succeed(state.erasure === "ended" ? [] : [Event.OrganizationErasureEnded.make({ organization })])
      },

      EraseMember: ({ by, user }) =>
        Result.flatMap(authority(state, by, Tier.literals), (maker): Decision => {
          const role = found(state.members, user)
          if (role === undefined) return Result.fail(new MemberNotFound({ user }))
          if (user === state.owner) return Result.fail(new OwnerStays())
          // an erasure takes their role too
          if (isAbove(role, maker.role)) return Result.fail(new OnlyOwnerCanPromote({ role: maker.role }))
          const theirs = [...state.keys].filter(([, holder]) => holder.user === user).map(([key]) => key)
          return Result.succeed([
            ...theirs.sort().map((key) => Event.KeyRevoked.make({ key, user })),
            Event.MemberErased.make({ user, subject: subjectIn(state, user) })
          ])
        })
    }),

  evolve: (state, event) =>
    OrganizationEvent.match(event, {
      OrganizationRegistered: ({ tier, memberLimit }) => ({ ...state, registered: { tier, memberLimit } }),
      OrganizationRenamed: () => state,
      OrganizationSlugChanged: ({ subject }) => ({ ...state, slug: subject }),
      OrganizationErased: () => ({ ...Organization.initial, erasure: "begun" as const }),
      OrganizationErasureEnded: () => ({ ...state, erasure: "ended" as const }),
      TextErased: () => state,
      MemberAdded: ({ user, role }) => ({
        ...state,
        owner: state.owner ?? (role === "owner" ? user : undefined),
        members: HashMap.set(state.members, user, role)
      }),
      MemberRoleChanged: ({ user, role }) => ({ ...state, members: HashMap.set(state.members, user, role) }),
      MemberErased: ({ user }) => ({
        ...state,
        members: HashMap.remove(state.members, user),
        erased: HashMap.set(state.erased, user, (found(state.erased, user) ?? 0) + 1)
      }),
      KeyCreated: ({ key, user, role, actsFor, readOnly, expiresAt, workspaces, models }) => ({
        ...state,
        keys: HashMap.set(state.keys, key, { user, role, limits: { actsFor, readOnly, expiresAt, workspaces, models } })
      }),
      KeyLimited: ({ key, role, actsFor, readOnly, expiresAt, workspaces, models }) => {
        const live = found(state.keys, key)
        if (live === undefined) return state
        const limits = { actsFor, readOnly, expiresAt, workspaces, models }
        return { ...state, keys: HashMap.set(state.keys, key, { ...live, role, limits }) }
      },
      KeyRevoked: ({ key }) => ({ ...state, keys: HashMap.remove(state.keys, key) })
    })
}
