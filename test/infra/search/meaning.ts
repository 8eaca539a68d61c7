import { assert, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Embeddings } from "#ports/Embeddings.ts"
import type { IndexedSnippet, SnippetIndex } from "#ports/SnippetIndex.ts"
import { searching } from "#test/searching.ts"
import { csv, median, query, snippet } from "../indexed.ts"

const purge = { name: "purge_messages", source: "def purge_messages(box, days): box.remove(messages_before(days))" }
const polygon = { name: "draw_polygon", source: "def draw_polygon(canvas, points): canvas.stroke(points)" }

const put = (...snippets: ReadonlyArray<IndexedSnippet>) => Effect.flatMap(searching, (index) => index.put(snippets))
const search = (...asked: Parameters<typeof query>) =>
  Effect.flatMap(searching, (index) => index.search(query(...asked)))
const ids = (...asked: Parameters<typeof query>) =>
  Effect.map(search(...asked), ({ matches }) => matches.map(({ id }) => id))

/** What every snippet index must do with what texts mean. */
export const meaningContract = (name: string, layer: Layer.Layer<SnippetIndex | Embeddings, unknown>) =>
  suite(layer)(`what snippets mean, in SnippetIndex (${name})`, (it) => {
    it.effect("finds what means the like without a word in common, and not what is unlike", () =>
      Effect.gen(function* () {
        yield* put(snippet("mean", "purge", purge), snippet("mean", "polygon", polygon), snippet("mean", "csv", csv))
        const { matches, total } = yield* search("clear out old emails", ["mean"])
        assert.deepStrictEqual([matches.map(({ id }) => id), total], [["mean-purge"], 1])
        const [{ score, relevance, vector }] = matches as [(typeof matches)[0]]
        assert.isTrue(vector > 0.3 && vector <= 1)
        assert.isAtLeast(score, 0.2)
        assert.strictEqual(score, relevance)
        // no word: three quarters of the cosine are all that the first stage has
        const index = yield* searching
        const [likely] = (yield* index.likely(query("clear out old emails", ["mean"]))).matches
        assert.closeTo(likely!.relevance, 0.75 * vector, 1e-6)
      })
    )

    it.effect("counts what shares a word however unlike it is, and what shares none from a score of 0.2 on", () =>
      Effect.gen(function* () {
        const text = { name: "stroke_order", source: "" }
        yield* put(snippet("count", "word", text), snippet("count", "purge", purge), snippet("count", "none", median))
        const { matches, total } = yield* search("clear out old emails and the stroke", ["count"], { limit: 1 })
        assert.deepStrictEqual([matches.length, total], [1, 2])
        // votes lift it over the least score, or press it below
        const near = yield* search("clear out old emails", ["count"], { minVerdict: 0 })
        const index = yield* searching
        yield* index.votes([{ id: "count-purge", up: 0, down: 1_000, humanUp: 0 }])
        const fallen = yield* search("clear out old emails", ["count"], { minVerdict: 0 })
        assert.isBelow(fallen.matches[0]?.score ?? 0, near.matches[0]!.score)
      })
    )

    it.effect("applies every filter to what shares no word, too", () =>
      Effect.gen(function* () {
        yield* put(
          snippet("only", "down", purge, { down: 3 }),
          snippet("only", "agent", purge, { agent: "two" }),
          snippet("only", "go", purge, { language: "go" }),
          snippet("only", "repo", purge, { kind: "repo" }),
          snippet("only", "people", purge, { up: 2, humanUp: 2 }),
          snippet("only/w", "workspace", purge),
          snippet("elsewhere", "public", purge, { isPublic: true })
        )
        const task = "clear out old emails"
        const all = ["only-agent", "only-go", "only-people", "only-repo"]
        assert.sameMembers([...(yield* ids(task, ["only"]))], all)
        assert.notInclude(yield* ids(task, ["only"], { agent: "one" }), "only-agent")
        assert.deepStrictEqual(yield* ids(task, ["only"], { language: "go" }), ["only-go"])
        assert.deepStrictEqual(yield* ids(task, ["only"], { kinds: ["repo"] }), ["only-repo"])
        assert.deepStrictEqual(yield* ids(task, ["only"], { minHumanUp: 1 }), ["only-people"])
        assert.deepStrictEqual(yield* ids(task, ["only"], { only: new Set(["only-go"]) }), ["only-go"])
        assert.deepStrictEqual(yield* ids(task, ["only/w"]), ["only/w-workspace"])
        assert.include(yield* ids(task, ["only"], { includePublic: true, limit: 100 }), "elsewhere-public")
      })
    )

    it.effect("puts ties in order of id", () =>
      Effect.gen(function* () {
        yield* put(...["c", "a", "d", "b"].map((id) => snippet("even", id, purge)))
        assert.deepStrictEqual(yield* ids("clear out old emails", ["even"], { limit: 3 }), [
          "even-a",
          "even-b",
          "even-c"
        ])
      })
    )

    it.effect("forgets what is removed, and what another text replaces", () =>
      Effect.gen(function* () {
        const index = yield* searching
        yield* put(snippet("lost", "a", purge), snippet("lost", "b", purge), snippet("lost", "c", polygon))
        yield* index.remove(["lost-a"])
        yield* put(snippet("lost", "b", polygon))
        assert.deepStrictEqual(yield* ids("clear out old emails", ["lost"]), [])
        yield* put(snippet("lost", "d", median))
        assert.deepStrictEqual(yield* ids("clear out old emails", ["lost"]), [])
      })
    )

    it.effect("goes by the words alone where nothing of a task can be read", () =>
      Effect.gen(function* () {
        const japanese = { name: "yomikomi", description: "ファイルの読み込み", source: "" }
        yield* put(snippet("script", "a", japanese), snippet("script", "b", purge))
        const { matches, total } = yield* search("読み込み", ["script"])
        assert.deepStrictEqual([matches.map(({ id }) => id), total], [["script-a"], 1])
        const [{ score, vector }] = matches as [(typeof matches)[0]]
        assert.strictEqual(vector, 0)
        assert.isAbove(score, 0.3)
        // one digit is little to go by
        assert.deepStrictEqual((yield* ids("読み込み 3", ["script"]))[0], "script-a")
      })
    )

    it.effect("finds by its words a snippet that can't be read", () =>
      Effect.gen(function* () {
        yield* put(snippet("unread", "a", { name: "読み込み" }), snippet("unread", "b", purge))
        const { matches } = yield* search("csv の読み込み", ["unread"])
        assert.deepStrictEqual([matches[0]!.id, matches[0]!.vector], ["unread-a", 0])
        assert.isNull(snippet("unread", "a", { name: "読み込み" }).vector)
      })
    )

    it.effect("finds by the meaning of one sentence of a long task", () =>
      Effect.gen(function* () {
        yield* put(snippet("part", "purge", purge), snippet("part", "polygon", polygon))
        const around = "The customer would like it by Friday, and their budget for the work is small, as ever. "
        const task = `${around.repeat(2)}Clear out old emails. ${around}`
        const [first] = (yield* search(task, ["part"])).matches
        assert.strictEqual(first?.id, "part-purge")
        assert.isAbove(first!.vector, 0.2)
      })
    )
  })
