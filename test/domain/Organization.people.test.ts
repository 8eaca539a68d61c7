import { assert, describe, it } from "@effect/vitest"
import { erasedBy } from "#domain/erasures.ts"
import { type Role, unlimited } from "#domain/Key.ts"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { OrganizationEvent } from "#domain/Organization/events.ts"
import { given } from "#test/given.ts"
import {
  added,
  create,
  created,
  erase,
  erased,
  made,
  owned,
  promoted,
  revoke,
  revoked,
  staffed
} from "./organizations.ts"

const { ChangeRole } = OrganizationCommand
const { KeyLimited } = OrganizationEvent.cases

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
