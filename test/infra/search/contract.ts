import { assert, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { nothingMended } from "#domain/search/query.ts"
import type { Embeddings } from "#ports/Embeddings.ts"
import { type IndexedSnippet, SnippetIndex } from "#ports/SnippetIndex.ts"
import type { Sought } from "#src/snippets/find.ts"
import { searching } from "#test/searching.ts"
import { csv, median, query, snippet, voteFor } from "../indexed.ts"

const found = (query: Sought) =>
  Effect.gen(function* () {
    const index = yield* searching
    const { matches } = yield* index.search(query)
    return matches.map(({ id }) => id)
  })

const put = (...snippets: ReadonlyArray<IndexedSnippet>) => Effect.flatMap(searching, (index) => index.put(snippets))

/** What every snippet index must do; each adapter's test is this and a layer. */
export const contract = (name: string, layer: Layer.Layer<SnippetIndex | Embeddings, unknown>) =>
  suite(layer)(`SnippetIndex (${name})`, (it) => {
    it.effect("finds a snippet by any of the task's words, however they are written", () =>
      Effect.gen(function* () {
        yield* put(snippet("words", "a", median), snippet("words", "b", csv))
        assert.deepStrictEqual(yield* found(query("reading a csv", ["words"])), ["words-b"])
        assert.deepStrictEqual(yield* found(query("readCsvFile", ["words"])), ["words-b"])
        assert.deepStrictEqual(yield* found(query("MEDIANS of unobtainium", ["words"])), ["words-a"])
        assert.deepStrictEqual(yield* found(query("unobtainium", ["words"])), [])
        assert.deepStrictEqual(yield* found(query("", ["words"])), [])
        assert.deepStrictEqual(yield* found(query("the of a", ["words"])), [])
      })
    )

    it.effect("answers an empty home and no homes", () =>
      Effect.gen(function* () {
        const index = yield* searching
        const nothing = { matches: [], total: 0, mended: nothingMended }
        assert.deepStrictEqual(yield* index.search(query("median", ["nobody"])), nothing)
        assert.deepStrictEqual(yield* index.search(query("median", [])), nothing)
      })
    )

    it.effect("finds nothing for what is no word, however many of its letters code has", () =>
      Effect.gen(function* () {
        yield* put(snippet("scraps", "a", { name: "zz", source: "zz = q\nfor z in zz:\n    qq(z, zz)\n" }))
        assert.deepStrictEqual(yield* found(query("zz", ["scraps"])), ["scraps-a"])
        assert.deepStrictEqual(yield* found(query("zzzzzzqqq", ["scraps"])), [])
      })
    )

    it.effect("finds by synonyms, below the word itself", () =>
      Effect.gen(function* () {
        yield* put(snippet("syn", "a", { name: "photo_store" }), snippet("syn", "b", { name: "image_store" }))
        assert.deepStrictEqual(yield* found(query("image", ["syn"])), ["syn-b", "syn-a"])
      })
    )

    it.effect("takes a word that no snippet has for one within a letter that some have, and says so", () =>
      Effect.gen(function* () {
        yield* put(snippet("mend", "a", { name: "receive_mail" }), snippet("mend", "b", csv))
        const index = yield* searching
        const { matches, mended, total } = yield* index.search(query("recieve", ["mend"], { explain: true }))
        assert.deepStrictEqual([matches[0]!.id, total], ["mend-a", 1])
        assert.deepStrictEqual(mended, new Map([["recieve", ["receive"]]]))
        const [word] = matches[0]!.explanation!.words
        assert.deepStrictEqual([word!.word, word!.asked, word!.place], ["receive", "recieve", "name"])
        // a word of the task is told as such, also where another one was taken for it
        const twice = yield* index.search(query("recieve receive", ["mend"], { explain: true }))
        assert.isTrue(twice.matches[0]!.explanation!.words.every(({ asked }) => asked === undefined))
        // what some snippet has stands for itself
        yield* put(snippet("mend", "c", { name: "recieve_mail" }))
        const exact = yield* index.search(query("recieve", ["mend"]))
        assert.deepStrictEqual([exact.matches[0]!.id, exact.mended.size], ["mend-c", 0])
      })
    )

    it.effect(
      "takes a word for none that only what is not searched has, nor for one of the tasks of others' snippets",
      () =>
        Effect.gen(function* () {
          const shared = { home: "mend/theirs", isPublic: true }
          yield* put(
            snippet("mend2", "own", { name: "median", exampleQueries: ["wombat"] }, { home: "mend/own" }),
            snippet("mend2", "shared", { name: "zebra", exampleQueries: ["wombat", "quokka"] }, shared),
            snippet("mend2", "hidden", { name: "capybara" }, { home: "mend/theirs" })
          )
          const index = yield* searching
          const taken = (task: string, homes: ReadonlyArray<string>, includePublic = false) =>
            Effect.map(index.search(query(task, homes, { includePublic })), ({ mended }) => [...mended.values()].flat())
          assert.deepStrictEqual(yield* taken("womabt", ["mend/own"]), ["wombat"])
          assert.deepStrictEqual(yield* taken("capybaar", ["mend/own"], true), [])
          assert.deepStrictEqual(yield* taken("capybaar", ["mend/theirs"]), ["capybara"])
          assert.deepStrictEqual(yield* taken("zebar", ["mend/own"]), [])
          assert.deepStrictEqual(yield* taken("zebar", ["mend/own"], true), ["zebra"])
          assert.deepStrictEqual(yield* taken("qoukka", ["mend/own"], true), [])
          assert.deepStrictEqual(yield* taken("qoukka", ["mend/theirs"]), ["quokka"])
        })
    )

    it.effect("takes a word for another also where others' snippets have it, beside one that nobody has", () =>
      Effect.gen(function* () {
        yield* put(
          snippet("mend3", "own", { name: "receive_wombat" }, { home: "mend3/own" }),
          snippet("mend3", "others", { name: "recieve_mail" }, { home: "mend3/theirs" })
        )
        const index = yield* searching
        const taken = (task: string, homes: ReadonlyArray<string>) =>
          Effect.map(index.search(query(task, homes)), ({ mended }) => [...mended.entries()])
        const others: [string, ReadonlyArray<string>] = ["recieve", ["receive"]]
        const nobodys: [string, ReadonlyArray<string>] = ["womabt", ["wombat"]]
        assert.deepStrictEqual(yield* taken("recieve", ["mend3/own"]), [others])
        assert.deepStrictEqual(yield* taken("recieve a womabt", ["mend3/own"]), [others, nobodys])
        assert.deepStrictEqual(yield* taken("recieve a womabt", ["mend3/own", "mend3/theirs"]), [nobodys])
        assert.deepStrictEqual(yield* taken("recieve a womabt", ["mend3/theirs"]), [])
      })
    )

    it.effect("says how many snippets of a scope have each term", () =>
      Effect.gen(function* () {
        const index = yield* SnippetIndex
        yield* put(
          snippet("count", "a", { name: "okapi", source: "okapi" }, { home: "count/own" }),
          snippet("count", "b", { name: "okapi" }, { home: "count/own", isPublic: true }),
          snippet(
            "count",
            "c",
            { source: "okapi", exampleQueries: ["okapi ibex"] },
            { home: "count/other", isPublic: true }
          ),
          snippet("count", "d", { exampleQueries: ["okapi"] }, { home: "count/other", isPublic: true }),
          snippet("count", "e", { name: "okapi" }, { home: "count/other" })
        )
        const of = (homes: ReadonlyArray<string>, includePublic: boolean, terms = ["okapi", "ibex", "nobody"]) =>
          index.frequencies({ homes, includePublic }, terms)
        const own = ["count/own"]
        assert.deepStrictEqual(yield* of(own, false), [2, 0, 0])
        assert.deepStrictEqual(yield* of(own, true), [3, 0, 0])
        assert.deepStrictEqual(yield* of(["count/other", "count/own"], true), [5, 1, 0])
        assert.deepStrictEqual(yield* of([], false), [0, 0, 0])
        assert.deepStrictEqual(yield* of([], true), [2, 0, 0])
        assert.deepStrictEqual(yield* of(own, false, []), [])
        yield* Effect.flatMap(searching, (all) => all.remove(["count-a", "count-b"]))
        assert.deepStrictEqual(yield* of(own, false), [0, 0, 0])
      })
    )

    it.effect("weighs a name above a description above source in the first stage, and puts the name first", () =>
      Effect.gen(function* () {
        const filler = { name: "parcel", description: "stamps letters", source: "queue station window" }
        yield* put(
          snippet("boost", "source", { ...filler, source: "zebra station window" }),
          snippet("boost", "description", { ...filler, description: "zebra letters" }),
          snippet("boost", "name", { ...filler, name: "zebra" }),
          snippet("boost", "none", filler)
        )
        const index = yield* searching
        const { matches } = yield* index.likely(query("zebra", ["boost"]))
        const order = ["boost-name", "boost-description", "boost-source"]
        assert.deepStrictEqual(
          matches.map(({ id }) => id),
          order
        )
        assert.strictEqual((yield* found(query("zebra", ["boost"])))[0], "boost-name")
      })
    )

    it.effect("gives scores in 0…1, best first, and an unvoted snippet its relevance", () =>
      Effect.gen(function* () {
        const index = yield* searching
        yield* put(snippet("range", "a", median), snippet("range", "b", { ...csv, description: "median rows" }))
        const { matches, total } = yield* index.search(query("median of rows", ["range"]))
        assert.strictEqual(total, 2)
        let last = 1
        for (const { score, relevance, vector, verdict } of matches) {
          assert.isTrue(score > 0 && score <= last)
          assert.closeTo(score, relevance, 1e-6)
          assert.isTrue(vector > 0 && vector <= 1)
          assert.strictEqual(verdict, 0.5)
          last = score
        }
      })
    )

    it.effect("puts ties in order of id and cuts after counting", () =>
      Effect.gen(function* () {
        const index = yield* searching
        yield* put(...["c", "a", "d", "b"].map((id) => snippet("ties", id, median)))
        const { matches, total } = yield* index.search(query("median", ["ties"], { limit: 3 }))
        assert.deepStrictEqual(
          matches.map(({ id }) => id),
          ["ties-a", "ties-b", "ties-c"]
        )
        assert.strictEqual(total, 4)
      })
    )

    it.effect("replaces a snippet that it has", () =>
      Effect.gen(function* () {
        const index = yield* searching
        yield* put(snippet("again", "a", median), snippet("again", "b", median))
        yield* put(snippet("again", "a", csv))
        assert.strictEqual(yield* index.documents("again"), 2)
        assert.deepStrictEqual(yield* found(query("median", ["again"])), ["again-b"])
        assert.deepStrictEqual(yield* found(query("csv", ["again"])), ["again-a"])
        yield* put(snippet("again", "a", csv, { home: "again/moved" }))
        assert.deepStrictEqual(yield* found(query("csv", ["again"])), [])
        assert.deepStrictEqual(yield* found(query("csv", ["again/moved"])), ["again-a"])
      })
    )

    it.effect("takes the last of the same id in one call", () =>
      Effect.gen(function* () {
        yield* put(snippet("twice", "a", median), snippet("twice", "a", csv))
        assert.deepStrictEqual(yield* found(query("median csv", ["twice"])), ["twice-a"])
        assert.deepStrictEqual(yield* found(query("median", ["twice"])), [])
      })
    )

    it.effect("forgets what is removed, and ignores what it doesn't have", () =>
      Effect.gen(function* () {
        const index = yield* searching
        yield* put(snippet("gone", "a", median), snippet("gone", "b", median))
        yield* index.remove(["gone-a", "gone-unknown", "gone-a"])
        yield* index.votes([{ id: "gone-a", up: 9, down: 0, humanUp: 0 }])
        assert.strictEqual(yield* index.documents("gone"), 1)
        assert.deepStrictEqual(yield* found(query("median", ["gone"])), ["gone-b"])
      })
    )

    it.effect("sees the homes that were asked for and public snippets only when asked", () =>
      Effect.gen(function* () {
        yield* put(
          snippet("t1", "own", median),
          snippet("t1", "published", median, { isPublic: true }),
          snippet("t1/w", "workspace", median, { id: "t1-workspace" }),
          snippet("t2", "foreign", median),
          snippet("t2", "published", median, { isPublic: true })
        )
        assert.sameMembers([...(yield* found(query("median", ["t1"])))], ["t1-own", "t1-published"])
        const both = yield* found(query("median", ["t1", "t1/w", "t1"]))
        assert.sameMembers([...both], ["t1-own", "t1-published", "t1-workspace"])
        const mine = query("median", ["t1"], { includePublic: true, limit: 100 })
        const withPublic = (yield* found(mine)).filter((id) => id.startsWith("t"))
        assert.sameMembers([...withPublic], ["t1-own", "t1-published", "t2-published"])
      })
    )

    it.effect("lets nobody's scores depend on what only others may see", () =>
      Effect.gen(function* () {
        const index = yield* searching
        yield* put(snippet("still", "a", median), snippet("still", "b", csv))
        const ask = index.search(query("median csv file", ["still"]))
        const before = yield* ask
        yield* put(
          ...Array.from({ length: 200 }, (_, n) =>
            snippet("loud", `${n}`, { ...median, description: "median ".repeat(n) })
          )
        )
        assert.deepStrictEqual(yield* ask, before)
      })
    )

    it.effect("keeps one agent's snippets from another's searches", () =>
      Effect.gen(function* () {
        yield* put(
          snippet("agents", "anyone", median),
          snippet("agents", "one", median, { agent: "one" }),
          snippet("agents", "two", median, { agent: "two" })
        )
        const one = yield* found(query("median", ["agents"], { agent: "one" }))
        assert.sameMembers([...one], ["agents-anyone", "agents-one"])
        assert.strictEqual((yield* found(query("median", ["agents"]))).length, 3)
      })
    )

    it.effect("leaves out a verdict below the minimum, keeps one at it, and counts votes in the score", () =>
      Effect.gen(function* () {
        const index = yield* searching
        yield* put(
          snippet("votes", "bad", median, { down: 3 }),
          snippet("votes", "edge", median, { up: 1, down: 5 }),
          snippet("votes", "new", median),
          snippet("votes", "good", median, { up: 5 })
        )
        const asked = query("median", ["votes"])
        assert.deepStrictEqual(yield* found(asked), ["votes-good", "votes-new", "votes-edge"])
        assert.strictEqual((yield* index.search(asked)).total, 3)
        yield* index.votes([
          { id: "votes-bad", up: 20, down: 3, humanUp: 0 },
          { id: "votes-good", up: 5, down: 50, humanUp: 0 }
        ])
        assert.deepStrictEqual(yield* found(asked), ["votes-bad", "votes-new", "votes-edge"])
        assert.strictEqual((yield* found({ ...asked, minVerdict: 0 })).length, 4)
      })
    )

    it.effect("prefers complete implementations when asked", () =>
      Effect.gen(function* () {
        yield* put(
          snippet("whole", "a-stub", median, { completeness: 0 }),
          snippet("whole", "b-full", median, { completeness: 1 })
        )
        assert.deepStrictEqual(yield* found(query("median", ["whole"])), ["whole-a-stub", "whole-b-full"])
        const preferring = query("median", ["whole"], { preferComplete: true })
        assert.deepStrictEqual(yield* found(preferring), ["whole-b-full", "whole-a-stub"])
      })
    )

    it.effect("counts only what the caller's filter names", () =>
      Effect.gen(function* () {
        const index = yield* searching
        yield* put(snippet("filter", "a", median), snippet("filter", "b", median), snippet("filter", "c", csv))
        const only = new Set(["filter-b", "filter-c", "elsewhere"])
        const answer = yield* index.search(query("median", ["filter"], { only }))
        assert.deepStrictEqual([answer.matches.map(({ id }) => id), answer.total], [["filter-b"], 1])
      })
    )

    it.effect(
      "has what was voted for near tasks among its candidates, whatever it says, if all else that is asked holds",
      () =>
        Effect.gen(function* () {
          const index = yield* searching
          const odd = "greet the visitors at the door"
          const alike = Array.from({ length: 60 }, (_, at) =>
            snippet("taught", `like-${at}`, { name: `greet_visitors_${at}`, source: "def greet(visitor): door.open()" })
          )
          yield* put(...alike, snippet("taught", "used", csv), snippet("taught-elsewhere", "used", csv))
          const asked = query(odd, ["taught"], { limit: 50 })
          const before = yield* index.search(asked)
          assert.notInclude(
            before.matches.map(({ id }) => id),
            "taught-used"
          )
          const votes = ["taught-used", "taught-elsewhere-used", "taught-gone"].flatMap((id) =>
            ["t/ada", "t/bob", "t/eve"].map((bloc) => voteFor(id, odd, { bloc }))
          )
          const after = yield* index.search({ ...asked, votes })
          assert.deepStrictEqual(
            after.matches.map(({ id }) => id).filter((id) => !id.startsWith("taught-like")),
            ["taught-used"]
          )
          assert.strictEqual(after.total, before.total + 1)
          assert.strictEqual((yield* index.search({ ...asked, votes, minHumanUp: 1 })).total, 0)
          assert.strictEqual((yield* index.search({ ...asked, votes, language: "go" })).total, 0)
          assert.deepStrictEqual(
            yield* index.search({ ...asked, votes, only: new Set(["taught-like-1"]) }),
            yield* index.search({ ...asked, only: new Set(["taught-like-1"]) })
          )
          // nothing is said of other tasks
          const other = query("median of the numbers", ["taught"])
          assert.deepStrictEqual(yield* index.search({ ...other, votes }), yield* index.search(other))
        })
    )

    it.effect("takes in the votes of many in one call", () =>
      Effect.gen(function* () {
        const all = Array.from({ length: 201 }, (_, n) => snippet("ballots", `${n}`, median))
        yield* put(...all)
        const index = yield* searching
        yield* index.votes(all.map(({ id }) => ({ id, up: 3, down: 0, humanUp: 3 })))
        const { total } = yield* index.search(query("median", ["ballots"], { minHumanUp: 3 }))
        assert.strictEqual(total, 201)
      })
    )

    it.effect("leaves out what has too few people's votes, or another kind or language", () =>
      Effect.gen(function* () {
        const index = yield* searching
        yield* put(
          snippet("by", "praised", median, { up: 4, humanUp: 2 }),
          snippet("by", "graded", median, { up: 9 }),
          snippet("by", "repo", median, { kind: "repo", language: "go" }),
          snippet("by", "route", median, { kind: "route", language: "go" })
        )
        const asked = query("median", ["by"])
        assert.deepStrictEqual(yield* found({ ...asked, minHumanUp: 2 }), ["by-praised"])
        assert.deepStrictEqual(yield* found({ ...asked, minHumanUp: 3 }), [])
        yield* index.votes([{ id: "by-graded", up: 9, down: 0, humanUp: 3 }])
        assert.deepStrictEqual(yield* found({ ...asked, minHumanUp: 3 }), ["by-graded"])
        assert.deepStrictEqual(yield* found({ ...asked, kinds: ["repo"] }), ["by-repo"])
        assert.sameMembers([...(yield* found({ ...asked, kinds: ["repo", "route"] }))], ["by-repo", "by-route"])
        const inGo = yield* index.search({ ...asked, language: "go", limit: 1 })
        assert.deepStrictEqual([inGo.matches.length, inGo.total], [1, 2])
        assert.deepStrictEqual(yield* found({ ...asked, language: "ruby" }), [])
      })
    )

    it.effect("finds by one sentence of a long task", () =>
      Effect.gen(function* () {
        yield* put(snippet("long", "a", median), snippet("long", "b", csv))
        const around = "We are moving an old billing application to another server and the customer waits for it. "
        const task = `${around.repeat(3)}\nFirst compute the median. ${around.repeat(3)}`
        assert.deepStrictEqual(yield* found(query(task, ["long"])), ["long-a"])
        assert.deepStrictEqual(yield* found(query("median ".repeat(10_000), ["long"])), ["long-a"])
      })
    )
  })
