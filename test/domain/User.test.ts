import { assert, describe, it } from "@effect/vitest"
import { erasedBy } from "#domain/erasures.ts"
import { unlimited } from "#domain/Key.ts"
import { User, UserCommand, UserEvent } from "#domain/User.ts"
import { given } from "#test/given.ts"
import { laws } from "#test/laws.ts"

const { CreatePersonalKey, RevokePersonalKey, EraseUser, EraseText } = UserCommand
const { UserRegistered, UserErased, TextErased, KeyCreated, KeyRevoked } = UserEvent.cases

const create = (key: string) =>
  CreatePersonalKey({
    user: "eve",
    email: "eve@example.org",
    secret: "s3cret",
    key: { key, name: `name of ${key}`, hash: `hash of ${key}`, prefix: "cairn_live_abcdefghi" }
  })

const subject = "user/eve"
const registered = UserRegistered.make({ user: "eve", subject, text: { email: "eve@example.org", secret: "s3cret" } })
const created = (key: string) =>
  KeyCreated.make({
    key,
    user: "eve",
    role: "owner",
    hash: `hash of ${key}`,
    prefix: "cairn_live_abcdefghi",
    ...unlimited,
    subject,
    text: { name: `name of ${key}`, userId: null }
  })
const revoked = (key: string) => KeyRevoked.make({ key, user: "eve" })

describe("a person without an organization", () => {
  it("is registered with the first key", () => given(User, []).when(create("one")).then(registered, created("one")))

  it("is not registered again with the next, so that the secret stays", () =>
    given(User, [registered, created("one")])
      .when(create("two"))
      .then(created("two")))

  it("stays registered without a key", () =>
    given(User, [registered, created("one"), revoked("one")])
      .when(create("two"))
      .then(created("two")))

  it("loses the key that is revoked", () =>
    given(User, [registered, created("one"), created("two")])
      .when(RevokePersonalKey({ key: "one" }))
      .then(revoked("one")))

  it("has no key to revoke that is revoked, another's or nobody's", () => {
    const history = [registered, created("one"), revoked("one"), created("two")]
    for (const key of ["one", "three"]) {
      assert.strictEqual(given(User, history).when(RevokePersonalKey({ key })).refuses("KeyNotFound").key, key)
    }
    given(User, [])
      .when(RevokePersonalKey({ key: "one" }))
      .refuses("KeyNotFound")
  })

  it("is erased with all keys, and comes again under a subject that still takes text", () => {
    const history = [registered, created("one"), created("two"), revoked("one")]
    const erased = UserErased.make({ user: "eve", subject })
    given(User, history)
      .when(EraseUser({ user: "eve" }))
      .then(revoked("two"), erased)
    assert.deepStrictEqual(erasedBy(erased), [subject])
    const next = { ...registered, subject: "user/eve.1" }
    given(User, [...history, revoked("two"), erased])
      .when(create("three"))
      .then(next, { ...created("three"), subject: "user/eve.1" })
    given(User, [...history, revoked("two"), erased, next])
      .when(EraseUser({ user: "eve" }))
      .then(UserErased.make({ user: "eve", subject: "user/eve.1" }))
  })

  it("can't be erased when there is nobody, or nobody any more", () => {
    const history = [registered, UserErased.make({ user: "eve", subject })]
    for (const before of [[], history])
      given(User, before)
        .when(EraseUser({ user: "eve" }))
        .refuses("UserNotFound")
  })

  it("loses other text only once erased", () => {
    const erase = EraseText({ user: "eve", subjects: ["execution/1"] })
    given(User, [registered]).when(erase).refuses("UserNotFound")
    const erased = TextErased.make({ user: "eve", subjects: ["execution/1"] })
    given(User, [registered, UserErased.make({ user: "eve", subject })])
      .when(erase)
      .then(erased)
    assert.deepStrictEqual(erasedBy(erased), ["execution/1"])
  })

  laws(User, UserEvent, [
    create("one"),
    RevokePersonalKey({ key: "one" }),
    EraseUser({ user: "eve" }),
    EraseText({ user: "eve", subjects: ["execution/1"] })
  ])
})
