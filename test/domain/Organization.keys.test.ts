import { assert, describe, it } from "@effect/vitest"
import { type KeyLimits, type Role, unlimited } from "#domain/Key.ts"
import { type AskedLimits, OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { OrganizationEvent } from "#domain/Organization/events.ts"
import { given } from "#test/given.ts"
import {
  added,
  create,
  created,
  erased,
  lesser,
  made,
  newKey,
  owned,
  person,
  promoted,
  revoke,
  revoked,
  staffed
} from "./organizations.ts"

const { CreateKey, LimitKey } = OrganizationCommand
const { KeyLimited } = OrganizationEvent.cases

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
