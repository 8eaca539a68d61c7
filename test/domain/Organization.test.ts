import { assert, describe, it } from "@effect/vitest"
import { erasedBy } from "#domain/erasures.ts"
import { type KeyLimits, type Role, unlimited } from "#domain/Key.ts"
import { type AskedLimits, OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { OrganizationEvent } from "#domain/Organization/events.ts"
import { memberLimit, type Tier } from "#domain/Tier.ts"
import { given } from "#test/given.ts"
import { laws } from "#test/laws.ts"

const { EraseOrganization, EraseOrganizationText, EndErasure } = OrganizationCommand
const { OrganizationErased, OrganizationErasureEnded, TextErased } = OrganizationEvent.cases
const { RegisterOrganization, RenameOrganization, CreateKey, LimitKey, RevokeKey, ChangeRole, EraseMember } =
  OrganizationCommand
const {
  OrganizationRegistered,
  OrganizationRenamed,
  MemberAdded,
  MemberRoleChanged,
  MemberErased,
  KeyCreated,
  KeyLimited,
  KeyRevoked
} = OrganizationEvent.cases

const newKey = (key: string) => ({
  key,
  name: `name of ${key}`,
  hash: `hash of ${key}`,
  prefix: "cairn_live_abcdefghi"
})
const person = (user: string) => ({ user, email: `${user}@example.org` })

const registered = (tier: Tier = "ENTERPRISE", memberLimit = 3) =>
  OrganizationRegistered.make({
    organization: "acme",
    tier,
    memberLimit,
    subject: "organization/acme",
    text: { name: "Acme", secret: "s3cret" }
  })
const added = (user: string, role: Role, subject = `user/${user}`) =>
  MemberAdded.make({ user, role, subject, text: { email: `${user}@example.org` } })
/** With a role of its own unless it is `null`, and with no other bounds, as all keys were once. */
const created = (key: string, user: string, role: Role | null, subject = `user/${user}`, limits = unlimited) => {
  const { name, hash, prefix } = newKey(key)
  return KeyCreated.make({ key, user, role, hash, prefix, ...limits, subject, text: { name, userId: null } })
}
const acting = (role: Role): KeyLimits => ({
  ...unlimited,
  actsFor: role === "owner" || role === "admin" ? "any" : "own"
})
/** A key as it is made now, for a person with this role: it has none of its own. */
const made = (user: string, role: Role, subject = `user/${user}`) => created("new", user, null, subject, acting(role))
/** One with less than its person has. */
const lesser = (user: string, role: Role) => created("new", user, role, `user/${user}`, acting(role))
const promoted = (user: string, role: Role) => MemberRoleChanged.make({ user, role })
const erased = (user: string, subject = `user/${user}`) => MemberErased.make({ user, subject })
const revoked = (key: string, user: string) => KeyRevoked.make({ key, user })

const owned = (tier?: Tier, limit?: number) => [
  registered(tier, limit),
  added("olga", "owner"),
  created("of-owner", "olga", "owner")
]
/** An owner, an admin and a member with a key each, in an organization for three. */
const staffed = (tier?: Tier) => [
  ...owned(tier),
  ...[added("ada", "admin"), created("of-admin", "ada", "admin")],
  ...[added("max", "member"), created("of-member", "max", "member")]
]

const create = (by: string | null, user: string, role: Role | null = "member") =>
  CreateKey({ by, member: person(user), role, key: newKey("new") })
const revoke = (by: string | null, key: string) => RevokeKey({ by, key })
const erase = (by: string | null, user: string) => EraseMember({ by, user })

const register = RegisterOrganization({
  organization: "acme",
  name: "Acme",
  secret: "s3cret",
  tier: "ENTERPRISE",
  memberLimit: 3,
  owner: person("olga"),
  key: newKey("of-owner")
})

describe("registering an organization", () => {
  it("makes its owner a member, with an owner's key", () =>
    given(Organization, [])
      .when(register)
      .then(registered(), added("olga", "owner"), created("of-owner", "olga", null)))

  it("is done once", () => {
    const refusal = given(Organization, owned()).when(register).refuses("OrganizationExists")
    assert.strictEqual(refusal.organization, "acme")
  })

  it("gives a cap of 1, 10 or 100 by tier", () =>
    assert.deepStrictEqual((["FREE", "PRO", "ENTERPRISE"] as const).map(memberLimit), [1, 10, 100]))
})

describe("renaming an organization", () => {
  const rename = (by: string | null) => RenameOrganization({ by, organization: "acme", name: "Acme & Sons" })
  const renamed = OrganizationRenamed.make({
    organization: "acme",
    subject: "organization/acme",
    text: { name: "Acme & Sons" }
  })

  it("is for its owners and admins, on every tier, and for the operator", () => {
    for (const tier of ["FREE", "PRO", "ENTERPRISE"] as const)
      for (const by of ["of-owner", "of-admin", null]) given(Organization, staffed(tier)).when(rename(by)).then(renamed)
    given(Organization, staffed()).when(rename("of-member")).refuses("AdminKeyRequired")
    for (const history of [[], [...staffed(), revoked("of-owner", "olga")]])
      given(Organization, history).when(rename("of-owner")).refuses("NotOrganizationMember")
  })
})

describe("erasing an organization", () => {
  const command = (by: string | null, operates = false) => EraseOrganization({ by, organization: "acme", operates })
  const gone = (members: number, keys: number) =>
    OrganizationErased.make({ organization: "acme", members, keys, subject: "organization/acme" })

  it("is for its owners, on every tier, and for the operator", () => {
    for (const tier of ["FREE", "PRO", "ENTERPRISE"] as const)
      for (const by of ["of-owner", null]) given(Organization, staffed(tier)).when(command(by)).then(gone(3, 3))
    const refusal = given(Organization, staffed()).when(command("of-admin")).refuses("OnlyOwnerErases")
    assert.strictEqual(refusal.role, "admin")
    given(Organization, staffed()).when(command("of-member")).refuses("AdminKeyRequired")
    // an owner's key that has less than its person
    given(Organization, [...staffed(), created("lesser", "olga", "admin")])
      .when(command("lesser"))
      .refuses("OnlyOwnerErases")
    assert.deepStrictEqual(erasedBy(gone(3, 3)), ["organization/acme"])
  })

  it("never takes that of who operates the service, also not at the operator's word", () => {
    for (const by of ["of-owner", null]) given(Organization, staffed()).when(command(by, true)).refuses("OperatorStays")
  })

  it("leaves nothing that could be done in it, and is done once", () => {
    const history = [...staffed(), gone(3, 3)]
    for (const one of [
      command("of-owner"),
      command(null),
      create("of-owner", "eve"),
      create(null, "eve"),
      revoke(null, "of-owner"),
      erase(null, "max"),
      RenameOrganization({ by: null, organization: "acme", name: "Acme" })
    ])
      given(Organization, history).when(one).refuses("NotOrganizationMember")
    given(Organization, history).when(register).refuses("OrganizationExists")
  })

  it("ends once, and takes texts before and after that; of one that was not erased none are taken", () => {
    const text = EraseOrganizationText({ organization: "acme", subjects: ["user/olga"] })
    const end = EndErasure({ organization: "acme" })
    const taken = TextErased.make({ user: "acme", subjects: ["user/olga"] })
    const ended = OrganizationErasureEnded.make({ organization: "acme" })
    const begun = [...staffed(), gone(3, 3)]
    given(Organization, begun).when(text).then(taken)
    given(Organization, begun).when(end).then(ended)
    given(Organization, [...begun, ended])
      .when(text)
      .then(taken)
    given(Organization, [...begun, ended])
      .when(end)
      .then()
    for (const one of [text, end]) given(Organization, staffed()).when(one).refuses("NotErased")
  })
})

describe("creating a key", () => {
  it("adds a user who is not a member yet", () =>
    given(Organization, owned()).when(create("of-owner", "eve")).then(added("eve", "member"), made("eve", "member")))

  it("adds no one who is a member", () =>
    given(Organization, staffed()).when(create("of-admin", "max")).then(made("max", "member")))

  it("lets an owner's key make an admin's", () =>
    given(Organization, owned())
      .when(create("of-owner", "eve", "admin"))
      .then(added("eve", "admin"), made("eve", "admin")))

  it("lets an owner's key make an admin's for a member, who is an admin then", () =>
    given(Organization, staffed())
      .when(create("of-owner", "max", "admin"))
      .then(promoted("max", "admin"), made("max", "admin")))

  it("gives the role that was asked for, also for the owner's e-mail", () => {
    given(Organization, staffed())
      .when(create("of-admin", "olga", "member"))
      .then(lesser("olga", "member"))
    // and what was made so has a member's authority only, whoever the user is
    given(Organization, [...staffed(), created("of-olga", "olga", "member")])
      .when(create("of-olga", "max"))
      .refuses("AdminKeyRequired")
  })

  it("gives a member's role to who is new when none was asked for, and to a member the one they joined with", () => {
    given(Organization, owned())
      .when(create("of-owner", "eve", null))
      .then(added("eve", "member"), made("eve", "member"))
    for (const [user, role] of [
      ["olga", "owner"],
      ["ada", "admin"],
      ["max", "member"]
    ] as const) {
      for (const by of ["of-owner", null]) {
        given(Organization, staffed())
          .when(create(by, user, null))
          .then(made(user, role))
      }
    }
    // whoever was given an admin's key once has not joined as one
    given(Organization, [...staffed(), created("promoted", "max", "admin")])
      .when(create("of-owner", "max", null))
      .then(made("max", "member"))
    given(Organization, [...staffed(), revoked("of-admin", "ada"), erased("ada")])
      .when(create("of-owner", "ada", null))
      .then(added("ada", "member", "user/ada.1"), made("ada", "member", "user/ada.1"))
  })

  it("gives no more than the maker's key has: an admin's key for the owner is no owner's", () => {
    given(Organization, staffed())
      .when(create("of-admin", "olga", null))
      .then(lesser("olga", "admin"))
    given(Organization, staffed())
      .when(create("of-admin", "max", null))
      .then(made("max", "member"))
    given(Organization, [...staffed(), created("promoted", "max", "admin")])
      .when(create("promoted", "olga", null))
      .then(lesser("olga", "admin"))
  })

  it("looks at the key's authority, not at its user's", () =>
    given(Organization, [...staffed(), created("promoted", "max", "admin")])
      .when(create("promoted", "ada"))
      .then(lesser("ada", "member")))
})

describe("a person's role", () => {
  const change = (by: string | null, user: string, role: Role) => ChangeRole({ by, user, role })
  const following = [...staffed(), created("theirs", "max", null)]

  it("is one, whatever key they hold: a key without a role of its own has it", () => {
    const promotion = promoted("max", "admin")
    given(Organization, following)
      .when(change("of-owner", "max", "admin"))
      .then(promotion)
    given(Organization, [...following, promotion])
      .when(create("theirs", "eve", "reader"))
      .refuses("MemberLimitReached")
    given(Organization, following)
      .when(create("theirs", "eve", "reader"))
      .refuses("AdminKeyRequired")
    // the one that was made with a member's role keeps it
    given(Organization, [...following, promotion])
      .when(create("of-member", "eve"))
      .refuses("AdminKeyRequired")
  })

  it("takes the greater role that a key of theirs had for itself", () => {
    const history = [...staffed(), created("old", "max", "admin")]
    const lowered = KeyLimited.make({ key: "old", role: null, ...unlimited })
    given(Organization, history)
      .when(change("of-owner", "max", "member"))
      .then(lowered)
    given(Organization, [...history, lowered])
      .when(create("old", "eve"))
      .refuses("AdminKeyRequired")
    const demoted = [promoted("ada", "reader"), KeyLimited.make({ key: "of-admin", role: null, ...unlimited })]
    given(Organization, staffed())
      .when(change("of-owner", "ada", "reader"))
      .then(...demoted)
    given(Organization, [...staffed(), ...demoted])
      .when(revoke("of-admin", "of-member"))
      .refuses("AdminKeyRequired")
  })

  it("is changed by admins below their own, and by owners up to it", () => {
    given(Organization, [...staffed(), revoked("of-member", "max")])
      .when(change("of-admin", "max", "reader"))
      .then(promoted("max", "reader"))
    for (const [user, role] of [
      ["max", "admin"],
      ["ada", "member"],
      ["olga", "member"]
    ] as const)
      given(Organization, staffed())
        .when(change("of-admin", user, role))
        .refuses("OnlyOwnerCanPromote")
    given(Organization, staffed())
      .when(change("of-member", "max", "admin"))
      .refuses("AdminKeyRequired")
    given(Organization, staffed())
      .when(change("of-owner", "max", "owner"))
      .refuses("OnlyOwnerCanPromote")
    given(Organization, staffed())
      .when(change(null, "max", "owner"))
      .then(promoted("max", "owner"))
    given(Organization, staffed("PRO"))
      .when(change("of-owner", "max", "admin"))
      .refuses("EnterpriseRequired")
  })

  it("stays with who answers for the organization, and is nobody's who is none of it", () => {
    for (const by of ["of-owner", null])
      given(Organization, staffed())
        .when(change(by, "olga", "member"))
        .refuses("OwnerStays")
    given(Organization, staffed())
      .when(change("of-owner", "eve", "reader"))
      .refuses("MemberNotFound")
  })

  it("that they have is no change", () =>
    given(Organization, following)
      .when(change("of-owner", "max", "member"))
      .then())

  it("is a reader's where it is asked for, and ends with them", () => {
    given(Organization, owned())
      .when(create("of-owner", "eve", "reader"))
      .then(added("eve", "reader"), made("eve", "reader"))
    given(Organization, [...owned(), added("eve", "reader"), created("hers", "eve", null)])
      .when(create("hers", "max"))
      .refuses("AdminKeyRequired")
  })
})

describe("what bounds a key", () => {
  const asked: AskedLimits = { readOnly: true, expiresAt: 2_000, workspaces: ["w"], models: ["haiku"] }
  const limit = (by: string | null, key: string, limits: AskedLimits) => LimitKey({ by, key, limits })
  const limited = (key: string, role: Role | null, limits: Partial<KeyLimits>) =>
    KeyLimited.make({ key, role, ...unlimited, ...limits })

  it("is asked for when it is made", () => {
    const command = CreateKey({ by: "of-owner", member: person("eve"), role: null, key: newKey("new"), limits: asked })
    given(Organization, owned())
      .when(command)
      .then(added("eve", "member"), created("new", "eve", null, "user/eve", { ...unlimited, ...asked, actsFor: "own" }))
    given(Organization, owned())
      .when({ ...command, limits: { actsFor: "any" } })
      .then(added("eve", "member"), created("new", "eve", null))
  })

  it("is changed later, each by itself", () => {
    const narrowed = limited("of-member", "member", { readOnly: true })
    given(Organization, staffed())
      .when(limit("of-admin", "of-member", { readOnly: true }))
      .then(narrowed)
    given(Organization, [...staffed(), narrowed])
      .when(limit(null, "of-member", { models: ["haiku"] }))
      .then(limited("of-member", "member", { readOnly: true, models: ["haiku"] }))
    given(Organization, [...staffed(), narrowed])
      .when(limit(null, "of-member", { readOnly: true }))
      .then()
  })

  it("is for owners and admins to say, of nobody who is above them", () => {
    given(Organization, staffed())
      .when(limit("of-member", "of-member", asked))
      .refuses("AdminKeyRequired")
    given(Organization, staffed())
      .when(limit("of-admin", "of-owner", asked))
      .refuses("OnlyOwnerCanPromote")
    given(Organization, staffed())
      .when(limit("of-owner", "none", asked))
      .refuses("KeyNotFound")
    given(Organization, staffed("PRO"))
      .when(limit("of-owner", "of-member", asked))
      .refuses("EnterpriseRequired")
    given(Organization, [...staffed(), revoked("of-member", "max")])
      .when(limit("of-owner", "of-member", asked))
      .refuses("KeyNotFound")
  })

  it("lets no key outlive the one that made or bounded it", () => {
    const history = [...owned(), limited("of-owner", "owner", { expiresAt: 5_000 })]
    for (const [expiresAt, then] of [
      [null, 5_000],
      [2_000, 2_000],
      [9_000, 5_000]
    ] as const)
      given(Organization, history)
        .when(
          CreateKey({ by: "of-owner", member: person("olga"), role: null, key: newKey("new"), limits: { expiresAt } })
        )
        .then(created("new", "olga", null, "user/olga", { ...unlimited, expiresAt: then }))
    given(Organization, [...history, created("other", "olga", null)])
      .when(limit("of-owner", "other", { readOnly: true }))
      .then(limited("other", null, { readOnly: true, expiresAt: 5_000 }))
  })
})

describe("refusing a key, in this order", () => {
  it("without an organization: not a member", () => {
    given(Organization, []).when(create("of-owner", "eve")).refuses("NotOrganizationMember")
    given(Organization, []).when(create(null, "eve")).refuses("NotOrganizationMember")
  })

  it("with a key that is unknown here or revoked: not a member, on any tier", () => {
    for (const tier of ["FREE", "PRO", "ENTERPRISE"] as const) {
      given(Organization, staffed(tier))
        .when(create("of another", "eve", "admin"))
        .refuses("NotOrganizationMember")
      given(Organization, [...staffed(tier), revoked("of-admin", "ada")])
        .when(create("of-admin", "eve"))
        .refuses("NotOrganizationMember")
    }
  })

  it("below the enterprise tier: that first, whatever the key's role", () => {
    for (const tier of ["FREE", "PRO"] as const) {
      for (const by of ["of-owner", "of-admin", "of-member"]) {
        const refusal = given(Organization, staffed(tier))
          .when(create(by, "eve", "admin"))
          .refuses("EnterpriseRequired")
        assert.strictEqual(refusal.tier, tier)
      }
    }
  })

  it("with a member's key: before what it asks for is looked at", () => {
    const refusal = given(Organization, staffed())
      .when(create("of-member", "eve", "admin"))
      .refuses("AdminKeyRequired")
    assert.strictEqual(refusal.role, "member")
  })

  it("with an admin's key for another admin: before the cap is looked at", () => {
    for (const user of ["eve", "ada", "max"]) {
      const refusal = given(Organization, staffed())
        .when(create("of-admin", user, "admin"))
        .refuses("OnlyOwnerCanPromote")
      assert.strictEqual(refusal.role, "admin")
      given(Organization, staffed())
        .when(create("of-admin", user, "owner"))
        .refuses("OnlyOwnerCanPromote")
    }
  })

  it("at the cap, where the owner counts", () => {
    const refusal = given(Organization, staffed()).when(create("of-owner", "eve")).refuses("MemberLimitReached")
    assert.strictEqual(refusal.limit, 3)
    given(Organization, owned("ENTERPRISE", 1)).when(create("of-owner", "eve")).refuses("MemberLimitReached")
    given(Organization, owned("ENTERPRISE", 2))
      .when(create("of-owner", "eve"))
      .then(added("eve", "member"), made("eve", "member"))
  })

  it("but not at the cap for a member's further key", () =>
    given(Organization, staffed()).when(create("of-owner", "max")).then(made("max", "member")))

  it("and a revoked key frees no seat", () => {
    const history = [...staffed(), revoked("of-member", "max")]
    given(Organization, history).when(create("of-owner", "eve")).refuses("MemberLimitReached")
    given(Organization, history).when(create("of-owner", "max")).then(made("max", "member"))
  })
})

describe("revoking a key", () => {
  it("takes an admin's or an owner's key", () => {
    given(Organization, staffed()).when(revoke("of-admin", "of-member")).then(revoked("of-member", "max"))
    given(Organization, staffed()).when(revoke("of-owner", "of-admin")).then(revoked("of-admin", "ada"))
    given(Organization, staffed()).when(revoke("of-member", "of-member")).refuses("AdminKeyRequired")
    given(Organization, staffed("PRO")).when(revoke("of-owner", "of-member")).refuses("EnterpriseRequired")
    given(Organization, staffed()).when(revoke("of another", "of-member")).refuses("NotOrganizationMember")
    given(Organization, []).when(revoke("of-owner", "of-member")).refuses("NotOrganizationMember")
  })

  it("is of nobody's key who is above whoever revokes, but of an equal's", () => {
    given(Organization, staffed()).when(revoke("of-admin", "of-owner")).refuses("OnlyOwnerCanPromote")
    const more = [
      ...staffed(),
      created("of-olga", "olga", "reader"),
      added("otto", "owner"),
      created("of-otto", "otto", null)
    ]
    given(Organization, more).when(revoke("of-admin", "of-otto")).refuses("OnlyOwnerCanPromote")
    given(Organization, more).when(revoke("of-admin", "of-olga")).then(revoked("of-olga", "olga"))
    given(Organization, more).when(revoke("of-owner", "of-otto")).then(revoked("of-otto", "otto"))
    given(Organization, [...staffed(), added("eva", "admin"), created("of-eva", "eva", null)])
      .when(revoke("of-admin", "of-eva"))
      .then(revoked("of-eva", "eva"))
  })

  it("may be of the key that is used, which is nobody's from then on", () => {
    given(Organization, staffed()).when(revoke("of-admin", "of-admin")).then(revoked("of-admin", "ada"))
    given(Organization, [...staffed(), revoked("of-admin", "ada")])
      .when(revoke("of-admin", "of-member"))
      .refuses("NotOrganizationMember")
  })

  it("finds no key twice, none of another organization, none that never was", () => {
    const history = [...staffed(), revoked("of-member", "max")]
    for (const key of ["of-member", "of another", ""]) {
      assert.strictEqual(given(Organization, history).when(revoke("of-owner", key)).refuses("KeyNotFound").key, key)
    }
  })

  it("leaves the user's other keys", () =>
    given(Organization, [...staffed(), created("second", "max", "member"), revoked("of-member", "max")])
      .when(revoke("of-admin", "second"))
      .then(revoked("second", "max")))
})

describe("erasing a member", () => {
  it("revokes their keys, and theirs only", () =>
    given(Organization, [...staffed(), created("second", "max", "member")])
      .when(erase("of-admin", "max"))
      .then(revoked("of-member", "max"), revoked("second", "max"), erased("max")))

  it("erases the text of the subject that they had", () => {
    assert.deepStrictEqual(erasedBy(erased("max")), ["user/max"])
    assert.deepStrictEqual(erasedBy(revoked("of-member", "max")), [])
  })

  it("frees the seat", () => {
    const history = [...staffed(), revoked("of-member", "max"), erased("max")]
    given(Organization, history).when(create("of-owner", "eve")).then(added("eve", "member"), made("eve", "member"))
  })

  it("lets the same person come again, under a subject that still takes text", () => {
    const once = [...staffed(), revoked("of-member", "max"), erased("max")]
    given(Organization, once)
      .when(create("of-owner", "max"))
      .then(added("max", "member", "user/max.1"), made("max", "member", "user/max.1"))
    const again = [...once, added("max", "member", "user/max.1"), created("next", "max", "member", "user/max.1")]
    given(Organization, again).when(erase("of-owner", "max")).then(revoked("next", "max"), erased("max", "user/max.1"))
    given(Organization, [...again, revoked("next", "max"), erased("max", "user/max.1")])
      .when(create("of-owner", "max"))
      .then(added("max", "member", "user/max.2"), made("max", "member", "user/max.2"))
  })

  it("works on every tier, for owners, admins and the operator", () => {
    for (const tier of ["FREE", "PRO", "ENTERPRISE"] as const) {
      for (const by of ["of-owner", "of-admin", null]) {
        given(Organization, staffed(tier)).when(erase(by, "max")).then(revoked("of-member", "max"), erased("max"))
      }
      given(Organization, staffed(tier)).when(erase("of-member", "max")).refuses("AdminKeyRequired")
      given(Organization, staffed(tier)).when(erase("of another", "max")).refuses("NotOrganizationMember")
    }
  })

  it("never takes the owner, also not at the operator's word", () => {
    for (const by of ["of-owner", "of-admin", null])
      given(Organization, staffed()).when(erase(by, "olga")).refuses("OwnerStays")
    // who got an owner's role later may go
    const second = [...staffed(), added("otto", "owner")]
    given(Organization, second).when(erase("of-owner", "otto")).then(erased("otto"))
    given(Organization, second).when(erase("of-admin", "otto")).refuses("OnlyOwnerCanPromote")
  })

  it("finds nobody twice, and nobody of elsewhere", () => {
    const history = [...staffed(), revoked("of-member", "max"), erased("max")]
    for (const user of ["max", "eve"]) {
      assert.strictEqual(
        given(Organization, history).when(erase("of-owner", user)).refuses("MemberNotFound").user,
        user
      )
    }
  })
})

describe("the operator at the command line", () => {
  it("needs no key, on any tier", () => {
    for (const tier of ["FREE", "PRO", "ENTERPRISE"] as const) {
      given(Organization, owned(tier))
        .when(create(null, "eve", "admin"))
        .then(added("eve", "admin"), made("eve", "admin"))
      given(Organization, owned(tier)).when(revoke(null, "of-owner")).then(revoked("of-owner", "olga"))
    }
  })

  it("may make an owner's key", () =>
    given(Organization, owned())
      .when(create(null, "olga", "owner"))
      .then(made("olga", "owner")))

  it("is bound by the cap, and finds no key that isn't there", () => {
    given(Organization, staffed()).when(create(null, "eve")).refuses("MemberLimitReached")
    given(Organization, staffed()).when(revoke(null, "of another")).refuses("KeyNotFound")
  })

  it("can help when all keys are revoked", () =>
    given(Organization, [...owned(), revoked("of-owner", "olga")])
      .when(create(null, "olga", "owner"))
      .then(made("olga", "owner")))
})

describe("Organization", () => {
  laws(Organization, OrganizationEvent, [
    RenameOrganization({ by: null, organization: "acme", name: "Acme & Sons" }),
    EraseOrganization({ by: null, organization: "acme", operates: false }),
    EraseOrganizationText({ organization: "acme", subjects: ["user/olga"] }),
    EndErasure({ organization: "acme" }),
    register,
    create("of-owner", "eve"),
    create(null, "eve"),
    LimitKey({ by: null, key: "of-owner", limits: { readOnly: true } }),
    ChangeRole({ by: null, user: "max", role: "admin" }),
    revoke(null, "of-owner"),
    erase(null, "max")
  ])
})
