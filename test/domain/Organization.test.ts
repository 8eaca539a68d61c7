import { assert, describe, it } from "@effect/vitest"
import { erasedBy } from "#domain/erasures.ts"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { OrganizationEvent } from "#domain/Organization/events.ts"
import { memberLimit } from "#domain/Tier.ts"
import { given } from "#test/given.ts"
import { laws } from "#test/laws.ts"
import {
  added,
  create,
  created,
  erase,
  made,
  owned,
  register,
  registered,
  revoke,
  revoked,
  staffed
} from "./organizations.ts"

const { EraseOrganization, EraseOrganizationText, EndErasure, RenameOrganization, TellSlug, LimitKey, ChangeRole } =
  OrganizationCommand
const { OrganizationErased, OrganizationErasureEnded, TextErased, OrganizationRenamed, OrganizationSlugChanged } =
  OrganizationEvent.cases

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

describe("telling an organization its slug", () => {
  const tell = (n: number, slug: string | null = `slug-${n}`) =>
    TellSlug({ organization: "acme", subject: `slug/acme.${n}`, slug })
  const told = (n: number, former: string | null, slug: string | null = `slug-${n}`) =>
    OrganizationSlugChanged.make({
      organization: "acme",
      former,
      subject: `slug/acme.${n}`,
      text: slug === null ? null : { slug }
    })

  it("says the one that it has, and takes the text of the one that was told before", () => {
    given(Organization, owned()).when(tell(1)).then(told(1, null))
    given(Organization, [...owned(), told(1, null)])
      .when(tell(2))
      .then(told(2, "slug/acme.1"))
    assert.deepStrictEqual(erasedBy(told(2, "slug/acme.1")), ["slug/acme.1"])
    assert.deepStrictEqual(erasedBy(told(1, null)), [])
  })

  it("says of one that is free meanwhile that it was", () => {
    given(Organization, owned())
      .when(tell(1, null))
      .then(told(1, null, null))
  })

  it("is for who is there, once", () => {
    given(Organization, []).when(tell(1)).then()
    given(Organization, [...owned(), told(1, null)])
      .when(tell(1))
      .then()
    const gone = OrganizationErased.make({ organization: "acme", members: 1, keys: 1, subject: "organization/acme" })
    given(Organization, [...owned(), gone])
      .when(tell(1))
      .then()
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
