import { existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { MaxOpsBeforeYield } from "effect/Scheduler"
import { vi } from "vitest"
import * as MemorySnippetIndex from "#infra/search/memory/layer.ts"
import * as ThreadSnippetIndex from "#infra/search/thread/layer.ts"
import { type Call, type Outcome, Thread, type ThreadOptions } from "#infra/search/thread/Thread.ts"
import { type IndexChanges, IndexUnavailable, SnippetIndex } from "#ports/SnippetIndex.ts"
import { find } from "#src/snippets/find.ts"
import { embeddings } from "#test/embeddings.ts"
import { corpus, queryOf, snippetOf } from "#test/evaluation.ts"
import { searching } from "#test/searching.ts"
import { csv, median, query, snippet, voteFor } from "../indexed.ts"
import { changesContract } from "./changes.ts"
import { contract } from "./contract.ts"
import { meaningContract } from "./meaning.ts"

const here = (path: string) => new URL(path, import.meta.url)
const on = (program: URL, options: Partial<ThreadOptions> = {}, data = {}) =>
  Layer.provideMerge(ThreadSnippetIndex.layer(program, data, options), embeddings)
const layer = on(here("../../../src/searchThread.ts"))

/** Turns that it is given for each step, and the step at which all of it is waited for: each takes a new thread. */
const stride = 5
const last = 6

contract("thread", layer)
meaningContract("thread", layer)
changesContract("thread", layer, (step, effect) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.provideService(effect, MaxOpsBeforeYield, 3))
    for (let turn = 0; turn < step * stride; turn++) yield* Effect.yieldNow
    if (step === last) yield* Fiber.await(fiber)
    const ended = fiber.pollUnsafe() !== undefined
    yield* Fiber.interrupt(fiber)
    return ended
  })
)

const changes = (some: Partial<IndexChanges>): IndexChanges => ({ put: [], voted: [], removed: [], ...some })

/** How an effect failed, which it has to. */
const faultOf = <A, R>(effect: Effect.Effect<A, IndexUnavailable, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, IndexUnavailable)
    return error.fault
  })

/** It answers nothing until it has come as far again, when a term ends it. */
const gone = (end: string, said: RegExp, patience: number, told = new SharedArrayBuffer(4)) =>
  Effect.gen(function* () {
    const index = yield* SnippetIndex
    const found = Effect.map(find(query("median", ["home"])), ({ matches }) => matches.map(({ id }) => id))
    const first = changes({ put: [snippet("home", "a", median)] })
    const second = changes({ put: [snippet("home", "b", median)] })
    yield* index.apply(first, { build: 1, position: 5 })
    yield* index.apply(second, { build: 1, position: 9 })
    assert.deepStrictEqual(yield* found, ["home-a", "home-b"])
    assert.strictEqual(yield* index.size!, 2)
    assert.match(yield* faultOf(index.frequencies({ homes: ["home"], includePublic: false }, [end])), said)
    assert.strictEqual(yield* index.size!, 0)
    assert.match(yield* faultOf(found), /begins anew/)
    // whoever feeds it has not heard yet that all is gone
    const third = changes({ put: [snippet("home", "c", median)] })
    assert.match(yield* faultOf(index.apply(third, { build: 1, position: 12 })), /begins anew/)
    assert.deepStrictEqual(yield* index.stand, { build: undefined, position: 0 })
    yield* index.apply(first, { build: 1, position: 5 })
    assert.match(yield* faultOf(found), /begins anew/)
    yield* index.apply(second, { build: 1, position: 9 })
    assert.deepStrictEqual(yield* found, ["home-a", "home-b"])
  }).pipe(Effect.provide(Layer.fresh(on(here("./threads/mortal.ts"), { patience, pause: 0 }, { told }))))

describe("a thread that has the snippet index", () => {
  it.effect("ranks as this thread does, to the last bit", () =>
    Effect.gen(function* () {
      const snippets = [
        snippet("home", "a", median),
        snippet("home", "b", csv),
        snippet("home", "c", { name: "receive_mail", description: "Receives the mail of a box." }),
        snippet("home", "d", { name: "image_store" }, { isPublic: true, completeness: 0.4 }),
        snippet("home", "e", { name: "feed_wombat" }),
        // another's word, which is none here
        snippet("other", "a", { name: "feed_womabt" })
      ]
      const votes = [voteFor("home-c", "receive the post"), voteFor("home-a", "mean of numbers")]
      const asked = [
        query("reading a csv", ["home"], { explain: true }),
        query("the median of numbers", ["home"], { votes, explain: true }),
        query("recieve the post", ["home"], { votes, explain: true }),
        query("recieve a womabt", ["home"], { votes, explain: true }),
        query("recieve a womabt", ["home"]),
        query("recieve mail", ["home"], { only: new Set(["home-c", "home-a"]), limit: 1 }),
        query("store photos", ["nobody"], { includePublic: true, preferComplete: true, kinds: ["file"] }),
        query(`${"Sort what comes. ".repeat(20)}Then take the median of the numbers.`, ["home"], { explain: true })
      ]
      const answers = Effect.gen(function* () {
        const { put } = yield* searching
        yield* put(snippets)
        return yield* Effect.forEach(asked, (one) => find(one))
      })
      const there = yield* Effect.provide(answers, layer)
      const own = yield* Effect.provide(answers, Layer.provideMerge(MemorySnippetIndex.layer, embeddings))
      assert.deepStrictEqual(there, own)
      assert.isAbove(there[2]!.matches[0]!.explanation!.learned.effect, 0)
      assert.deepStrictEqual(there[2]!.mended.get("recieve"), ["receive"])
      for (const one of there.slice(3, 5)) assert.deepStrictEqual(Array.from(one.mended.keys()), ["recieve", "womabt"])
    })
  )

  it.effect("is asked one long task at a time: others wait for no more than one of them", () =>
    Effect.gen(function* () {
      const index = yield* SnippetIndex
      const many = corpus("mbpp").map((document) => snippetOf(document))
      yield* index.apply(changes({ put: many }), { build: 1, position: 1 })
      const long = corpus("agent30")
        .map(({ description }) => description)
        .join(". ")
      const ended: Array<string> = []
      yield* Effect.forEach(
        [
          ["long", long],
          ["another long", `${long}.`],
          ["third long", `${long}!`],
          ["short", "median of a list"]
        ] as const,
        ([name, task]) => Effect.tap(find(queryOf(task)), () => Effect.sync(() => ended.push(name))),
        { concurrency: "unbounded" }
      )
      assert.sameMembers(ended, ["long", "another long", "third long", "short"])
      assert.isBelow(ended.indexOf("short"), 2)
    }).pipe(Effect.provide(Layer.fresh(layer)))
  )

  it.effect("that has gone answers nothing until it has come as far again", () => gone("die", /has ended/, 60_000))

  it.effect("that is at work for ever is given up and ends, and another one is begun", () =>
    Effect.gen(function* () {
      const told = new SharedArrayBuffer(4)
      yield* gone("hang", /does not answer/, 3_000, told)
      const [own] = new Int32Array(told)
      assert.isAbove(own!, 0)
      const look = () => assert.isFalse(existsSync(`/proc/self/task/${own}`), "it is at work still")
      yield* Effect.promise(() => vi.waitFor(look, { timeout: 30_000 }))
    })
  )

  it("that is at work for ever keeps nobody waiting who ends it, for longer than it may keep what it holds", async () => {
    const told = new SharedArrayBuffer(4)
    const bounds = { atOnce: 3, patience: 60_000, pause: 0, ending: 50 }
    const thread = new Thread({ ...bounds, program: here("./threads/mortal.ts"), data: { told } })
    const given = [{ homes: ["home"], includePublic: false }, ["hang"]]
    thread.ask({ name: "frequencies", given, settle: () => assert.fail("it answers") })
    const [own] = await vi.waitFor(() => {
      const numbers = new Int32Array(told)
      assert.isAbove(numbers[0]!, 0)
      return numbers
    }, 30_000)
    await thread.end()
    await vi.waitFor(() => assert.isFalse(existsSync(`/proc/self/task/${own}`), "it is at work still"), 30_000)
  })

  it.effect("tells of a fault where it was, and not what was asked", () =>
    Effect.gen(function* () {
      const { find, stand } = yield* SnippetIndex
      const { votes: _, ...rest } = query("a secret task", ["home"])
      const asked = { ...rest, learned: null as never, asksAgain: false }
      const exit = yield* Effect.exit(find!(asked))
      assert.isTrue(Exit.isFailure(exit))
      const told = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
      assert.match(told, /TypeError/)
      assert.notMatch(told, /secret/)
      assert.deepStrictEqual(yield* stand, { build: undefined, position: 0 })
    }).pipe(Effect.provide(Layer.fresh(layer)))
  )

  it("is not asked what nobody waits for any more", async () => {
    const options = { data: {}, atOnce: 2, patience: 60_000, pause: 0 }
    const thread = new Thread({ ...options, program: here("./threads/counting.ts") })
    const outcomes: Array<Outcome> = []
    const ask = (then: () => void = () => {}) => {
      const settle = (outcome: Outcome) => {
        outcomes.push(outcome)
        then()
      }
      const call: Call = { name: "stand", given: [], settle }
      thread.ask(call)
      return call
    }
    const calls = Array.from({ length: 9 }, () => ask())
    for (const call of calls.slice(2)) thread.leave(call)
    await new Promise<void>((resolve) => ask(resolve))
    assert.deepStrictEqual(
      outcomes.map((outcome) => outcome.type === "done" && outcome.value),
      [1, 2, 3]
    )
    await thread.end()
  })

  it("is begun anew as long as not two that were given up hear nothing", async () => {
    const letGo = new SharedArrayBuffer(8)
    const options = { data: { letGo }, atOnce: 1, patience: 2_000, pause: 0 }
    const thread = new Thread({ ...options, program: here("./threads/deaf.ts") })
    const ask = () => new Promise<Outcome>((resolve) => thread.ask({ name: "stand", given: [], settle: resolve }))
    for (const _ of ["the first", "the second"])
      assert.deepStrictEqual(await ask(), { type: "lost", why: "its thread does not answer" })
    // on Node they have ended
    if (process.versions["deno"] !== undefined) {
      assert.deepStrictEqual(await ask(), { type: "lost", why: "threads that were given up are still at work" })
      assert.strictEqual(thread.lost, 2)
    }
    const flag = new Int32Array(letGo)
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
    const isHeard = async () => assert.strictEqual((await ask()).type, "done")
    await vi.waitFor(isHeard, { timeout: 60_000 })
    await thread.end()
  })

  it("ends when it is ended at work, as soon as it hears", async () => {
    const letGo = new SharedArrayBuffer(8)
    const told = new Int32Array(letGo)
    const options = { data: { letGo }, atOnce: 1, patience: 60_000, pause: 0 }
    const thread = new Thread({ ...options, program: here("./threads/deaf.ts") })
    thread.ask({ name: "stand", given: [], settle: () => {} })
    await vi.waitFor(() => assert.notStrictEqual(told[1], 0), { timeout: 60_000 })
    await thread.end()
    Atomics.store(told, 0, 1)
    Atomics.notify(told, 0)
    await vi.waitFor(() => assert.isFalse(existsSync(`/proc/self/task/${told[1]}`)), { timeout: 30_000 })
  })

  it("that has just been begun is not begun again at once", async () => {
    const options = { data: {}, atOnce: 2, patience: 60_000, pause: 60_000 }
    const thread = new Thread({ ...options, program: here("./threads/none.ts") })
    const ask = () => new Promise<Outcome>((resolve) => thread.ask({ name: "stand", given: [], settle: resolve }))
    assert.strictEqual((await ask()).type, "lost")
    assert.deepStrictEqual(await ask(), { type: "lost", why: "its thread begins anew" })
    assert.strictEqual(thread.lost, 1)
    await thread.end()
  })
})
