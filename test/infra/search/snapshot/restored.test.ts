import { existsSync, readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { asked } from "#domain/search/query.ts"
import { layer } from "#infra/search/memory/layer.ts"
import { type IndexChanges, type IndexedSnippet, SnippetIndex } from "#ports/SnippetIndex.ts"
import { embeddings, encoder } from "#test/embeddings.ts"
import { leftAfter } from "#test/engine/leaving.ts"
import { corpus, queries, queryOf, snippetOf } from "#test/evaluation.ts"
import { random, sample } from "#test/random.ts"
import { fileIn, folder, keptIn, opened, saying } from "./kept.ts"

const all = [...corpus("mbpp"), ...corpus("agent30")].map((document, at) => ({
  ...snippetOf(document),
  home: `home ${at % 3}`,
  isPublic: at % 4 === 0,
  agent: at % 5 === 0 ? "one" : null,
  language: ["python", "go", "rust"][at % 3]!,
  completeness: (at % 5) / 4
}))
const tasks = [...queries("agent30").slice(0, 20), ...queries("mbpp").slice(0, 40)].map(({ text }) => text)

const changes = (some: Partial<IndexChanges>): IndexChanges => ({ put: [], voted: [], removed: [], ...some })

/** What an index says of some tasks, in an order that does not depend on that of its snippets. */
const said = (index: SnippetIndex["Service"]) =>
  Effect.andThen(
    index.stand,
    Effect.forEach(tasks, (task, at) => {
      const { limit: _, ...rest } = queryOf(task)
      const query = {
        ...rest,
        homes: [`home ${at % 3}`, "home 1"],
        includePublic: at % 2 === 0,
        agent: at % 5 === 0 ? "two" : null,
        asked: asked(task, encoder)
      }
      return Effect.all([
        Effect.map(index.candidates(query, 20), (found) => ({
          ...found,
          candidates: found.candidates.toSorted((one, other) => (one.id < other.id ? -1 : 1))
        })),
        index.frequencies(query, query.asked.terms)
      ])
    })
  )

/** What an index says that was made of rows, as they are in the end. */
const saidOf = (rows: Iterable<IndexedSnippet>) =>
  Effect.gen(function* () {
    const index = yield* SnippetIndex
    yield* index.apply(changes({ put: [...rows] }), { build: 1, position: 1 })
    return yield* said(index)
  }).pipe(Effect.provide(Layer.provideMerge(layer, embeddings)))

it.live("restored again and again, with changes in between, it says what one says that is made of all rows", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const kept = keptIn(yield* folder)
      const next = random(11)
      const rows = new Map<string, IndexedSnippet>()
      let position = 0
      for (let round = 0; round < 8; round++) {
        const put = sample(all, 250, next).map((snippet) => {
          const isPublic = next() < 0.3
          return { ...snippet, isPublic, up: Math.floor(next() * 5), language: next() < 0.2 ? "go" : snippet.language }
        })
        for (const snippet of put) rows.set(snippet.id, snippet)
        const voted = sample([...rows.keys()], 40, next).map((id) => ({ id, up: 7, down: 1, humanUp: 2 }))
        for (const { id, ...votes } of voted) rows.set(id, { ...rows.get(id)!, ...votes })
        const removed = sample([...rows.keys()], round === 5 ? rows.size - 30 : 60, next)
        for (const id of removed) rows.delete(id)
        yield* opened(kept, (index) =>
          Effect.gen(function* () {
            assert.deepStrictEqual(
              yield* index.stand,
              position === 0 ? { build: undefined, position } : { build: 1, position }
            )
            yield* index.apply(changes({ put, voted, removed }), { build: 1, position: ++position })
          })
        )
        if (round % 3 > 0) continue
        const now = yield* opened(kept, said)
        assert.deepStrictEqual(now, yield* saidOf(rows.values()))
        assert.isAbove(
          now.reduce((sum, [{ candidates }]) => sum + candidates.length, 0),
          50
        )
      }
      assert.strictEqual(yield* opened(kept, ({ stand, size }) => Effect.andThen(stand, size!)), rows.size)
    })
  )
)

it.live("keeps what it could not take, and says so until it could", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const kept = keptIn(yield* folder)
      const odd = { ...all[0]!, vector: new Float32Array(3) }
      yield* opened(kept, ({ apply }) => apply(changes({ put: [odd, ...all.slice(1, 5)] }), { build: 1, position: 4 }))
      yield* opened(kept, ({ stand, apply }) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* stand, { build: 1, position: 4, refused: [odd.id] })
          yield* apply(changes({ put: [all[0]!] }), { build: 1, position: 5 })
          assert.deepStrictEqual(yield* stand, { build: 1, position: 5 })
        })
      )
      assert.deepStrictEqual(yield* opened(kept, ({ stand }) => stand), { build: 1, position: 5 })
    })
  )
)

it.live(
  "what is removed has left the disk before it is said to be taken in, and nothing of it is in the next one",
  () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* folder
        const kept = keptIn(directory)
        const path = fileIn(directory)
        const secret = {
          ...all[1]!,
          id: "fa6ca0d3-gone",
          home: "home-gone",
          language: "wvutsrqp",
          text: { ...all[1]!.text, name: "zyxwvutsrqponm" },
          profile: { ...all[1]!.profile, pieces: Uint16Array.of(30_011, 30_012, 30_013, 30_014), characters: 4_711 }
        }
        const inHome = { ...secret, id: "fa6ca0d3-beside", home: all[2]!.home, isPublic: all[2]!.isPublic }
        yield* opened(kept, ({ apply }) =>
          apply(changes({ put: [...all.slice(2, 40), secret, inHome] }), { build: 1, position: 1 })
        )
        const traces = ["zyxwvutsrqponm", "fa6ca0d3", "home-gone", "wvutsrqp"].map((text) => Buffer.from(text))
        const pieces = Buffer.from(secret.profile.pieces.buffer)
        const numbers = Buffer.alloc(4)
        numbers.writeUInt32LE(4_711)
        for (const trace of [...traces, pieces, numbers]) assert.isTrue(readFileSync(path).includes(trace))
        yield* opened(kept, ({ apply }) =>
          Effect.gen(function* () {
            yield* apply(changes({ voted: [{ id: all[3]!.id, up: 1, down: 0, humanUp: 0 }] }), {
              build: 1,
              position: 2
            })
            assert.isTrue(existsSync(path))
            yield* apply(changes({ removed: [secret.id, inHome.id] }), { build: 1, position: 3 })
            assert.isFalse(existsSync(path))
          })
        )
        const after = readFileSync(path)
        for (const trace of [...traces, pieces, numbers]) assert.isFalse(after.includes(trace), trace.toString("hex"))
      })
    )
)

it.live("what is replaced by other terms takes the snapshot along, and what comes again as it was does not", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = yield* folder
      const some = all.slice(0, 10)
      yield* opened(keptIn(directory), ({ apply }) => apply(changes({ put: some }), { build: 1, position: 1 }))
      yield* opened(keptIn(directory, { least: 1_000 }), ({ apply }) =>
        Effect.gen(function* () {
          yield* apply(changes({ put: some }), { build: 1, position: 2 })
          assert.isTrue(existsSync(fileIn(directory)))
          const other = { ...some[0]!, text: some[1]!.text }
          yield* apply(changes({ put: [other] }), { build: 1, position: 3 })
          assert.isFalse(existsSync(fileIn(directory)))
        })
      )
    })
  )
)

it.live("what could be taken in half only leaves nothing, and the next start reads on from the snapshot", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = yield* folder
      const kept = keptIn(directory)
      const odd = { ...all[6]!, id: "odd", home: all[1]!.home, isPublic: all[1]!.isPublic }
      const alone = { ...odd, id: "alone", home: "home-alone", profile: undefined as never }
      yield* opened(kept, ({ apply }) =>
        Effect.gen(function* () {
          yield* apply(changes({ put: [...all.slice(0, 8), alone] }), { build: 1, position: 1 })
          // into a new slot, and into one that is free again
          for (const removed of [[], [all[1]!.id]]) {
            yield* apply(changes({ put: [all[1]!] }), { build: 1, position: 2 + removed.length * 3 })
            yield* apply(changes({ removed }), { build: 1, position: 3 + removed.length * 3 })
            const put = [{ ...odd, profile: undefined as never }]
            yield* apply(changes({ put }), { build: 1, position: 4 + removed.length * 3 })
          }
        })
      )
      assert.isFalse(readFileSync(fileIn(directory)).includes("home-alone"))
      const looked = opened(kept, ({ stand, size, apply }) =>
        Effect.gen(function* () {
          const before = [yield* stand, yield* size!]
          yield* apply(changes({ put: [odd, all[1]!, all[8]!] }), { build: 1, position: 9 })
          return [...before, yield* size!]
        })
      )
      const { value, lines } = yield* saying(looked)
      assert.deepStrictEqual(value, [{ build: 1, position: 7, refused: ["alone", "odd"] }, 7, 10])
      assert.deepStrictEqual(lines, [])
    })
  )
)

it.live("is written while the service runs, when a start would have much to read, and not when its disk is full", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = yield* folder
      const path = fileIn(directory)
      let isFull = true
      const kept = keptIn(directory, { pauses: { due: 1, between: 1 }, least: 30, isFull: () => isFull })
      yield* opened(kept, ({ apply }) => apply(changes({ put: all.slice(0, 100) }), { build: 1, position: 1 }))
      assert.isFalse(existsSync(path))
      isFull = false
      yield* opened(kept, ({ apply }) =>
        Effect.gen(function* () {
          yield* apply(changes({ put: all.slice(0, 20) }), { build: 1, position: 1 })
          yield* apply(changes({ put: all.slice(20, 100) }), { build: 1, position: 2 })
          while (!existsSync(path)) yield* Effect.sleep(1)
        })
      )
      const first = readFileSync(path)
      // little: a start reads it
      yield* opened(kept, ({ apply }) => apply(changes({ put: all.slice(100, 110) }), { build: 1, position: 3 }))
      assert.deepStrictEqual(readFileSync(path), first)
      yield* opened(kept, ({ apply }) => apply(changes({ put: all.slice(100, 200) }), { build: 1, position: 3 }))
      assert.notDeepEqual(readFileSync(path), first)
    })
  )
)

it.live("an index that another build is filling is not kept, as it has of both", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = yield* folder
      const kept = keptIn(directory)
      yield* opened(kept, ({ apply }) => apply(changes({ put: all.slice(0, 20) }), { build: 1, position: 9 }))
      const before = readFileSync(fileIn(directory))
      yield* opened(kept, ({ apply }) =>
        Effect.gen(function* () {
          yield* apply(changes({}), { build: 2, position: 0 })
          yield* apply(changes({ put: all.slice(20, 40) }), { build: 2, position: 4 })
        })
      )
      assert.deepStrictEqual(readFileSync(fileIn(directory)), before)
      yield* opened(kept, ({ apply }) =>
        Effect.gen(function* () {
          yield* apply(changes({}), { build: 2, position: 0 })
          yield* apply(changes({ put: all.slice(20, 40) }), { build: 2, position: 9 })
        })
      )
      const { value, lines } = yield* saying(opened(kept, ({ stand, size }) => Effect.all([stand, size!])))
      assert.deepStrictEqual(value, [{ build: 2, position: 9 }, 20])
      assert.deepStrictEqual(lines, [])
    })
  )
)

it.live("an index whose last changes were broken off is not kept, as it has some of what it does not stand at", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = yield* folder
      const kept = keptIn(directory)
      yield* opened(kept, ({ apply }) => apply(changes({ put: all.slice(0, 20) }), { build: 1, position: 1 }))
      const before = readFileSync(fileIn(directory))
      yield* opened(kept, ({ apply, size, stand }) =>
        Effect.gen(function* () {
          yield* stand
          const broken = apply(changes({ put: all.slice(20, 620) }), { build: 1, position: 2 })
          for (let steps = 0; (yield* size!) === 20; steps++) assert.isFalse(yield* leftAfter(steps, broken))
          assert.isBelow(yield* size!, 620)
        })
      )
      assert.deepStrictEqual(readFileSync(fileIn(directory)), before)
    })
  )
)
