import { assert, describe, it } from "@effect/vitest"
import { voteWeights } from "#domain/search/learned.ts"
import type { Said, WhoseSnippet } from "#projections/Learned.ts"
import type { RecalledTask } from "#src/snippets/HeldVotes.ts"
import { Lessons } from "#src/snippets/lessons.ts"
import { encoder } from "#test/embeddings.ts"

const said = (snippet: string, home: string, user: string, ...tasks: ReadonlyArray<string>): Said => ({
  id: `${snippet} ${home} ${user}`,
  snippet,
  subject: `of ${user}`,
  home,
  voter: `${home.split("/")[0]}/${user}`,
  tasks: tasks.map((task, position) => ({ task, value: 1, source: "human", position }))
})

const upload = (id: string, rest: Partial<WhoseSnippet> = {}): WhoseSnippet => ({
  id,
  tenant: "t",
  authors: ["author"],
  published: false,
  gone: false,
  ...rest
})

const recalled = (snippet: string, task: string, position = 100, user = "ada"): RecalledTask => ({
  snippet,
  home: "t",
  voter: `t/${user}`,
  value: 1,
  source: "human",
  position,
  search: { subject: `search/${task}`, stream: "search", revision: 1 },
  task
})

const lessons = () => new Lessons(encoder)
const settled = (all: Lessons): Lessons => {
  for (const _ of all.settle());
  return all
}
const seen = (all: Lessons, homes: ReadonlyArray<string>, includePublic = false) =>
  [...settled(all).votesFor({ homes, includePublic })]
    .map(({ snippet, bloc, task, weight }) => [snippet, bloc, task, weight])
    .sort()

describe("what is held of votes for tasks", () => {
  it("is told to the homes where they were given", () => {
    const all = lessons()
    all.votes.say([said("s", "t", "ada", "a"), said("s", "t/w", "bob", "b"), said("r", "u", "zoe", "c")])
    all.own([upload("s"), upload("r", { tenant: "u" })])
    assert.deepStrictEqual(seen(all, ["t"]), [["s", "t/ada", "a", 1]])
    assert.deepStrictEqual(seen(all, ["t/w", "t"]), [
      ["s", "t/ada", "a", 1],
      ["s", "t/bob", "b", 1]
    ])
    assert.deepStrictEqual(seen(all, ["t"], true), seen(all, ["t"]))
    assert.deepStrictEqual(seen(all, ["nobody"], true), [])
  })

  it("is told to strangers of strangers alone, while the snippet is public, for one a tenant and without a task", () => {
    const all = lessons()
    all.votes.say([said("s", "t", "ada", "own"), said("s", "u", "zoe", "z"), said("s", "v", "kim", "k")])
    all.own([upload("s", { published: true })])
    assert.deepStrictEqual(seen(all, ["w"], true), [
      ["s", "u", null, 1],
      ["s", "v", null, 1]
    ])
    assert.deepStrictEqual(seen(all, ["w"]), [])
    assert.deepStrictEqual(seen(all, ["u"], true), [
      ["s", "u/zoe", "z", 1],
      ["s", "v", null, 1]
    ])
    all.own([upload("s")])
    assert.deepStrictEqual(seen(all, ["w"], true), [])
  })

  it("weighs little for what its voter stored, wherever they vote, and half for what was recalled", () => {
    const all = lessons()
    all.votes.say([said("s", "t", "author", "a"), said("s", "u", "author", "b")])
    all.own([upload("s", { published: true })])
    all.votes.recall(["t/ada"], [recalled("s", "c")])
    assert.deepStrictEqual(seen(all, ["t"]), [
      ["s", "t/ada", "c", voteWeights.recalled],
      ["s", "t/author", "a", voteWeights.own]
    ])
    assert.deepStrictEqual(seen(all, ["w"], true), [["s", "u", null, voteWeights.own]])
  })

  it("takes no task of a search for a vote that named its own", () => {
    const all = lessons()
    all.votes.say([said("s", "t", "ada", "named")])
    all.own([upload("s")])
    all.votes.recall(["t/ada"], [recalled("s", "searched", 0)])
    assert.deepStrictEqual(seen(all, ["t"]), [["s", "t/ada", "named", 1]])
  })

  it("goes with the snippet, the voter and the search's text, and is another revision each time", () => {
    const all = lessons()
    const revisions = new Set([all.revision])
    const hold = (count: number) => {
      assert.lengthOf(seen(all, ["t"]), count)
      assert.strictEqual(all.size, count)
      revisions.add(all.revision)
    }
    all.votes.say([said("s", "t", "ada", "a"), said("r", "t", "ada", "b"), said("r", "t", "bob", "b")])
    all.own([upload("s"), upload("r"), upload("nobody spoke of")])
    all.votes.recall(["t/kim"], [recalled("r", "c", 100, "kim")])
    hold(4)
    all.votes.forget(new Set(["search/c"]))
    hold(3)
    all.votes.leave(["t/ada"])
    hold(1)
    all.own([upload("r", { gone: true })])
    hold(0)
    all.votes.say([said("s", "t", "eve", "a")])
    all.own([upload("s")])
    hold(1)
    all.votes.leave(["u/"])
    hold(1)
    all.votes.leave(["t/"])
    hold(0)
    all.votes.say([said("s", "t", "eve", "a")])
    all.own([upload("s")])
    all.votes.leave(["of ada"])
    hold(1)
    all.votes.leave(["of eve"])
    hold(0)
    all.forgetAll()
    assert.isAtLeast(revisions.size, 7)
    settled(all)
    const { revision } = all
    settled(all)
    assert.strictEqual(all.revision, revision)
  })

  it("keeps whose a snippet is for as long as somebody's vote is held, and asks anew then", () => {
    const all = lessons()
    const votes = [
      () => all.votes.say([said("s", "t", "ada", "a")]),
      () => all.votes.recall(["t/ada"], [recalled("s", "a")])
    ]
    for (const vote of votes) {
      vote()
      all.own([upload("s")])
      assert.lengthOf(seen(all, ["t"]), 1)
      assert.deepStrictEqual(all.unowned(["s"]), [])
      all.votes.leave(["t/ada"])
      assert.lengthOf(seen(all, ["t"]), 0)
      assert.deepStrictEqual(all.unowned(["s"]), ["s"])
    }
  })

  it("is of a snippet and home sixteen votes, the weightiest and of these the latest", () => {
    const all = lessons()
    const tasks = Array.from({ length: 8 }, (_, at) => `task ${at}`)
    all.votes.say([
      ...["ada", "bob", "eve"].map((user) => said("s", "t", user, ...tasks)),
      said("s", "t", "author", ...tasks)
    ])
    all.own([upload("s")])
    const held = seen(all, ["t"])
    assert.lengthOf(held, 16)
    assert.isFalse(held.some(([, bloc]) => bloc === "t/author"))
    assert.isFalse(held.some(([, , task]) => task === "task 0"))
  })

  it("is remembered of a snippet and home as far as it may come to count, however many vote", () => {
    const all = lessons()
    const users = Array.from({ length: 300 }, (_, at) => `user ${String(at).padStart(3, "0")}`)
    const last = {
      ...said("s", "t", "last", "z"),
      tasks: [{ task: "z", value: 1, source: "human", position: 9 }]
    } as const
    all.votes.say([
      ...users.map((user) => said("s", "t", user, "a")),
      last,
      said("s", "u", "zoe", "b"),
      said("r", "t", "ada", "c")
    ])
    all.own([upload("s"), upload("r")])
    all.votes.recall(
      users.map((user) => `t/${user}`),
      users.map((user) => recalled("s", "searched", 5, user))
    )
    all.votes.recall(["t/both"], [recalled("s", "old", 1, "both"), { ...recalled("s", "b", 2, "both"), home: "t/w" }])
    assert.lengthOf(seen(all, ["t"]), 16 + 1)
    // those of 64 voters with what was recalled of them, and what belongs to other homes and snippets
    assert.isAtMost(all.votes.size, 2 * 64 + 4)
    const ofOtherHomes = () => ["t/w", "u"].map((home) => seen(all, [home]).length)
    assert.deepStrictEqual(ofOtherHomes(), [1, 1])
    // also when its lessons are made anew from what is remembered
    all.own([upload("s")])
    assert.deepStrictEqual(ofOtherHomes(), [1, 1])
    // others count when one leaves
    const before = seen(all, ["t"])
    all.votes.leave(["t/last"])
    const after = seen(all, ["t"])
    assert.lengthOf(after, before.length)
    assert.notDeepEqual(after, before)
    all.votes.leave(["t/", "u/"])
    assert.strictEqual(all.votes.size, 0)
    assert.strictEqual(settled(all).size, 0)
  })

  it("is in all no more than there is room for: what was said before stays, and can be said anew", () => {
    const all = new Lessons(encoder, 4)
    all.votes.say(["a", "b", "c", "d", "e"].map((user) => said(`of ${user}`, "t", user, "x")))
    all.own(["a", "b", "c", "d", "e"].map((user) => upload(`of ${user}`)))
    all.votes.recall(["t/kim"], [recalled("of a", "searched", 5, "kim")])
    const holders = () =>
      seen(all, ["t"])
        .map(([, bloc]) => bloc)
        .sort()
    assert.deepStrictEqual(holders(), ["t/a", "t/b", "t/c", "t/d"])
    all.votes.say([said("of b", "t", "b", "y")])
    assert.include(
      seen(all, ["t"]).map(([, , task]) => task),
      "y"
    )
    all.own([upload("of a", { gone: true })])
    all.votes.leave(["t/c"])
    all.votes.recall(["t/kim"], [recalled("of d", "searched", 5, "kim")])
    all.votes.say([said("of e", "t", "e", "x"), said("of f", "t", "f", "x")])
    all.own([upload("of e")])
    assert.deepStrictEqual(holders(), ["t/b", "t/d", "t/e", "t/kim"])
    assert.strictEqual(all.votes.size, 4)
    all.forgetAll()
    assert.strictEqual(all.votes.size, 0)
  })

  it("has no more room for a voter and snippet that are there: of what they add the latest is taken", () => {
    const all = new Lessons(encoder, 4)
    const added = (user: string, tasks: number) =>
      Array.from({ length: tasks }, (_, at) => recalled(`of ${user}`, `task ${at}`, at, user))
    all.votes.say([said("of ada", "t", "ada", "first")])
    all.votes.recall(["t/kim"], added("kim", 1))
    all.votes.say([said("of ada", "t", "ada", "first", "second", "third", "fourth")])
    assert.strictEqual(all.votes.size, 4)
    all.own([upload("of ada"), upload("of kim")])
    assert.deepStrictEqual(
      seen(all, ["t"]).map(([, , task]) => task),
      ["fourth", "second", "third", "task 0"]
    )
    all.votes.recall(["t/kim"], added("kim", 8))
    assert.strictEqual(all.votes.size, 4)
    assert.include(
      seen(all, ["t"]).map(([, , task]) => task),
      "task 7"
    )
  })

  it("goes with its snippet, as what was recalled does, and makes room for others", () => {
    const all = new Lessons(encoder, 3)
    all.votes.say([said("s", "t", "bob", "x")])
    all.votes.recall(["t/ada"], [recalled("s", "a"), recalled("r", "b")])
    all.own([upload("s"), upload("r")])
    assert.lengthOf(seen(all, ["t"]), 3)
    all.own([upload("s", { gone: true }), upload("r", { gone: true })])
    assert.strictEqual(all.votes.size, 0)
    assert.isEmpty(all.votes.subjects)
    all.votes.say([said("q", "t", "bob", "x")])
    all.own([upload("q")])
    assert.lengthOf(seen(all, ["t"]), 1)
  })
})
