import { Effect, Layer, Semaphore } from "effect"
import { fields } from "#domain/search/IndexedText.ts"
import { inSteps } from "#engine/pages.ts"
import {
  type IndexedSnippet,
  type IndexQuery,
  type IndexStand,
  IndexUnavailable,
  SnippetIndex
} from "#ports/SnippetIndex.ts"
import { defaults, type KeepingOptions, originHere } from "../memory/snapshot/keeping.ts"
import { packed, packedIds } from "./packed.ts"
import type { KeptData, Questions, Sent } from "./protocol.ts"
import { type Call, Thread, type ThreadOptions } from "./Thread.ts"

/** Snippets that are sent at once, and characters of their terms: a few milliseconds. */
const portion = { snippets: 200, characters: 200_000 }

/**
 * `atOnce`: one is answered while the next is read, and one takes changes in. More would wait in the thread, where they
 * can't be withdrawn.
 */
const bounds = { atOnce: 3, patience: 30_000, pause: 1_000 }

const charactersOf = ({ text }: IndexedSnippet): number => fields.reduce((sum, field) => sum + text[field].length, 0)

/** Snippets in portions that are sent at once; at least one portion. */
function* portions(put: ReadonlyArray<IndexedSnippet>): Generator<ReadonlyArray<IndexedSnippet>> {
  let [from, characters] = [0, 0]
  for (const [at, snippet] of put.entries()) {
    characters += charactersOf(snippet)
    if (at + 1 - from < portion.snippets && characters < portion.characters) continue
    yield put.slice(from, at + 1)
    from = at + 1
    characters = 0
  }
  yield put.slice(from)
}

/** A query as it is sent. Its ids, which may be many, are packed step by step. */
const sent = Effect.fnUntraced(function* <Query extends Pick<IndexQuery, "only">>({ only, ...query }: Query) {
  const its: Sent<Query> = only === undefined ? query : { ...query, only: yield* inSteps(packedIds(only)) }
  return its
})

const make = (options: Pick<ThreadOptions, "program" | "data"> & Partial<ThreadOptions>) =>
  Effect.gen(function* () {
    const context = yield* Effect.context()
    const thread = new Thread({
      ...bounds,
      says: (line, isWarning) =>
        void Effect.runForkWith(context)(isWarning ? Effect.logWarning(line) : Effect.logInfo(line)),
      ...options
    })
    yield* Effect.addFinalizer(() => Effect.promise(() => thread.end()))
    // what is kept on the disk is read from now on
    if (options.ending !== undefined) thread.begin()
    const one = yield* Semaphore.make(1)
    const beforeIt = (yield* Semaphore.make(1)).withPermits(1)
    /** How often the thread had gone when it last told where it stands, and when it was last complete. */
    let told = 0
    let whole = 0
    let furthest: Omit<IndexStand, "refused"> = { build: undefined, position: 0 }

    const asking = <Name extends keyof Questions>(name: Name, ask: (call: Call) => void, ...given: Questions[Name]) =>
      Effect.callback<unknown, IndexUnavailable>((resume) => {
        const call: Call = {
          name,
          given,
          settle: (outcome) => {
            if (outcome.type === "done") resume(Effect.succeed(outcome.value))
            else if (outcome.type === "lost") resume(Effect.fail(new IndexUnavailable({ fault: outcome.why })))
            else resume(Effect.die(new Error(`the thread of the snippet index: ${outcome.where}`)))
          }
        }
        ask(call)
        return Effect.sync(() => thread.leave(call))
      })
    const asked = <Name extends keyof Questions>(name: Name, ...given: Questions[Name]) =>
      asking(name, (call) => thread.ask(call), ...given)
    const away = Effect.suspend(() => Effect.fail(new IndexUnavailable({ fault: "its thread begins anew" })))
    /** Asks, unless the thread was begun anew and does not have yet what the one before it had. */
    const unlessBehind = <Name extends keyof Questions>(name: Name, ...given: Questions[Name]) =>
      Effect.suspend(() => (thread.lost === whole ? asked(name, ...given) : away))

    return SnippetIndex.of({
      apply: ({ put, voted, removed }, upTo) =>
        Effect.gen(function* () {
          let first = true
          for (const some of portions(put)) {
            // the changes sent so far went to a thread that has gone
            if (thread.lost !== told) return yield* away
            const changes = packed(some)
            const transfer = [changes.numbers, changes.pieces]
            const rest = first ? { voted, removed } : { voted: [], removed: [] }
            thread.send({ type: "changes", first, put: changes, ...rest }, transfer)
            first = false
            yield* Effect.yieldNow
          }
          if (thread.lost !== told) return yield* away
          const refused = yield* asking("apply", (call) => thread.askNow(call), upTo)
          if (upTo.position >= furthest.position) {
            furthest = upTo
            whole = told
          }
          return refused as { readonly refused: ReadonlyArray<string> }
        }).pipe(one.withPermits(1)),
      stand: Effect.suspend(() => {
        const { lost } = thread
        return Effect.map(asked("stand"), (stand) => {
          const { build, position } = stand as IndexStand
          told = lost
          // a thread that was begun anew may have read all of it from the disk
          if (build === furthest.build && position >= furthest.position) whole = lost
          return stand as IndexStand
        })
      }),
      candidates: ({ asked: { reading, ...asked }, ...query }, most) =>
        sent({ ...query, asked: { ...asked, reading: { pieces: reading.pieces } } }).pipe(
          Effect.flatMap((query) => unlessBehind("candidates", query, most)),
          Effect.map((found) => found as never)
        ),
      frequencies: (scope, terms) =>
        Effect.map(unlessBehind("frequencies", scope, terms), (counts) => counts as ReadonlyArray<number>),
      find: (question) =>
        sent(question).pipe(
          Effect.flatMap((query) => unlessBehind("find", query)),
          Effect.map((answer) => answer as never)
        ),
      inLine: (search, isLong) => (isLong ? beforeIt(search) : search),
      size: Effect.sync(() => thread.size)
    })
  })

/**
 * The index that a thread holds. The thread's program answers as `inside.ts` says. If the thread goes, it is begun
 * anew; the index is unavailable until it has come as far again.
 */
export const layer = (program: URL, data: object, options: Partial<ThreadOptions> = {}) =>
  Layer.effect(SnippetIndex, make({ ...options, program, data }))

/** Milliseconds between two looks at whether the disk has room, and for what an ending thread does besides keeping. */
const second = 1_000

/** The same, kept on the disk as the one in memory is (docs/decisions/0103). The program gets `kept` as its `data`. */
export const layerKept = (program: URL, { isFull, ...keeping }: KeepingOptions, options: Partial<ThreadOptions> = {}) =>
  Layer.effect(
    SnippetIndex,
    Effect.gen(function* () {
      const { whose, eventAt } = yield* originHere
      const context = yield* Effect.context()
      const full = new SharedArrayBuffer(4)
      const look = Effect.sync(() => Atomics.store(new Int32Array(full), 0, isFull() ? 1 : 0))
      yield* look
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(second), look)))
      const kept: KeptData = { ...keeping, whose, full }
      return yield* make({
        ...options,
        program,
        data: { kept },
        ending: (keeping.ending ?? defaults.ending) + second,
        eventAt: (position) => Effect.runPromiseWith(context)(eventAt(position))
      })
    })
  )
