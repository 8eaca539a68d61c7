import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { erasedBy } from "#domain/erasures.ts"
import { askedSlug, isSlug, longestSlug, Slug, SlugCommand, SlugEvent, slugOf, slugsOf } from "#domain/Slug.ts"
import { given } from "#test/given.ts"
import { laws } from "#test/laws.ts"

const { GiveSlug, ChangeSlug, FreeSlug } = SlugCommand
const { SlugTaken, SlugFreed } = SlugEvent.cases

const asked = (slug: string) => ({ slug, digest: `digest of ${slug}` })
const give = (organization: string, ...slugs: ReadonlyArray<string>) =>
  GiveSlug({ organization, candidates: slugs.map(asked) })
const change = (organization: string, slug: string) => ChangeSlug({ organization, asked: asked(slug) })
const taken = (organization: string, slug: string, nth = 0) =>
  SlugTaken.make({
    organization,
    digest: `digest of ${slug}`,
    subject: `slug/${organization}.${nth}`,
    text: { slug }
  })
const freed = (organization: string, slug: string, nth = 0) =>
  SlugFreed.make({ organization, digest: `digest of ${slug}`, subject: `slug/${organization}.${nth}` })

describe("a slug", () => {
  it("is given to an organization that has none: the first that is free", () => {
    given(Slug, [])
      .when(give("acme", "acme", "acme-2"))
      .then(taken("acme", "acme"))
    given(Slug, [taken("other", "acme")])
      .when(give("acme", "acme", "acme-2"))
      .then(taken("acme", "acme-2"))
    given(Slug, [taken("acme", "old")])
      .when(give("acme", "acme"))
      .then()
  })

  it("is one organization's", () => {
    const refusal = given(Slug, [taken("other", "acme")])
      .when(change("acme", "acme"))
      .refuses("SlugInUse")
    assert.strictEqual(refusal.holder, "other")
    assert.strictEqual(
      given(Slug, [taken("a", "x"), taken("b", "y")])
        .when(give("c", "x", "y"))
        .refuses("SlugInUse").holder,
      "a"
    )
  })

  it("is free for others as soon as its organization has another one, and its text is gone", () => {
    const history = [taken("acme", "old")]
    given(Slug, history)
      .when(change("acme", "new"))
      .then(freed("acme", "old"), taken("acme", "new", 1))
    given(Slug, history).when(change("acme", "old")).then()
    const changed = [...history, freed("acme", "old"), taken("acme", "new", 1)]
    given(Slug, changed).when(change("other", "old")).then(taken("other", "old"))
    // also for the one that had it before, whose former text takes no other
    given(Slug, changed)
      .when(change("acme", "old"))
      .then(freed("acme", "new", 1), taken("acme", "old", 2))
    assert.deepStrictEqual(erasedBy(freed("acme", "old", 3)), ["slug/acme.3"])
  })

  it("is taken back once", () => {
    given(Slug, [taken("acme", "acme")])
      .when(FreeSlug({ organization: "acme" }))
      .then(freed("acme", "acme"))
    given(Slug, [taken("acme", "acme"), freed("acme", "acme")])
      .when(FreeSlug({ organization: "acme" }))
      .then()
    given(Slug, [taken("other", "acme")])
      .when(FreeSlug({ organization: "acme" }))
      .then()
  })

  laws(Slug, SlugEvent, [give("a", "a", "b"), change("a", "b"), change("b", "a"), FreeSlug({ organization: "a" })])
})

describe("what can be a slug", () => {
  it("is lower-case letters, digits and hyphens within, 40 of them at most, and no id", () => {
    for (const text of ["a", "7", "acme", "acme-2", "a--b", "a".repeat(longestSlug)]) assert.isTrue(isSlug(text), text)
    const none = ["", "-a", "a-", "-", "Acme", "a b", "ä", "a_b", "a\n", "a".repeat(longestSlug + 1)]
    for (const text of [...none, "6a204bd8-9f3d-8c70-8e1c-0aab9d0e4f11"]) assert.isFalse(isSlug(text), text)
  })

  it("is made of a name, whatever that is", () => {
    const made: ReadonlyArray<readonly [string, string]> = [
      ["Acme", "acme"],
      ["  Acme & Sons, Ltd.  ", "acme-sons-ltd"],
      ["Müller Straße Œuvre", "muller-strasse-oeuvre"],
      ["İstanbul", "istanbul"],
      ["日本", "organization"],
      ["…", "organization"],
      ["6a204bd8-9f3d-8c70-8e1c-0aab9d0e4f11", "organization"],
      [`${"a".repeat(39)} b`, "a".repeat(39)]
    ]
    for (const [name, slug] of made) assert.strictEqual(slugOf(name), slug, name)
  })

  it.prop("of any name is one, and so are those with a number or the id behind it", [Schema.String], ([name]) => {
    const slugs = slugsOf(name, "6a204bd8-9f3d-8c70-8e1c-0aab9d0e4f11")
    assert.strictEqual(slugs[0], slugOf(name))
    assert.lengthOf(new Set(slugs), 101)
    for (const slug of slugs) assert.isTrue(isSlug(slug), slug)
  })

  it("is compared by a digest that the installation's secret keys", () => {
    const one = askedSlug("secret", "acme")
    assert.match(one.digest, /^[0-9a-f]{64}$/)
    assert.deepStrictEqual(askedSlug("secret", "acme"), one)
    assert.notStrictEqual(askedSlug("other", "acme").digest, one.digest)
    assert.notStrictEqual(askedSlug("secret", "acme-2").digest, one.digest)
  })
})
