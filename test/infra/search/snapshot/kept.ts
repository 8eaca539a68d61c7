import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Exit, Layer, Logger, Scope } from "effect"
import { EventStore } from "#engine/ports/EventStore.ts"
import { layerKept } from "#infra/search/memory/layer.ts"
import * as Thread from "#infra/search/thread/layer.ts"
import type { ThreadOptions } from "#infra/search/thread/Thread.ts"
import { Installation } from "#ports/Installation.ts"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { embeddings } from "#test/embeddings.ts"

/** A folder of its own, which goes with its scope. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn-snapshot-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export const fileIn = (directory: string): string => join(directory, "snippets.index")

export interface KeptBy {
  readonly secret?: string
  readonly rules?: string
  /** The event that the log has at a position. */
  readonly eventAt?: (position: bigint) => string | undefined
  /** Milliseconds until it says so. */
  readonly takes?: number
  readonly isFull?: () => boolean
  readonly pauses?: { readonly due: number; readonly between: number }
  readonly least?: number
  readonly ending?: number
}

/** The log that a snapshot is of. */
export const logOf = ({ secret = "secret", eventAt = (position) => `event ${position}`, takes = 0 }: KeptBy = {}) =>
  Layer.mergeAll(
    Layer.mock(EventStore, {
      eventAt: (position) => {
        const event = Effect.sync(() => eventAt(BigInt(position as never)))
        return takes === 0 ? event : Effect.delay(event, takes)
      }
    }),
    Layer.succeed(Installation, { secret })
  )

/** How an index is kept in a folder: also for a single change, when it ends. */
const keptBy = (directory: string, { secret: _, eventAt: __, takes: ___, ...rest }: KeptBy = {}) => ({
  directory,
  rules: "rules",
  isFull: () => false,
  least: Number.NEGATIVE_INFINITY,
  ...rest
})

/** An index that is kept in a folder. */
export const keptIn = (directory: string, by: KeptBy = {}) =>
  layerKept(keptBy(directory, by)).pipe(Layer.provide(logOf(by)), Layer.provideMerge(embeddings))

/** The same in a thread, whose program may be another one. */
export const keptInThread = (
  directory: string,
  by: KeptBy = {},
  program = new URL("../../../../src/searchThread.ts", import.meta.url),
  options: Partial<ThreadOptions> = {}
) =>
  Thread.layerKept(program, keptBy(directory, by), options).pipe(
    Layer.provide(logOf(by)),
    Layer.provideMerge(embeddings)
  )

/** Uses an index as it was kept, and keeps it as it then is. */
export const opened = <A, E>(
  layer: ReturnType<typeof keptIn>,
  use: (index: SnippetIndex["Service"]) => Effect.Effect<A, E>
) => Effect.scoped(Effect.flatMap(Layer.build(Layer.fresh(layer)), (built) => use(Context.get(built, SnippetIndex))))

/** What is said meanwhile. */
export const saying = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  return Effect.map(Effect.provide(effect, Logger.layer([logger])), (value) => ({ value, lines }))
}

/** An index of which each change is kept, and which begins anew from there: all that it knows it has from its file. */
export const reopened = Layer.effect(
  SnippetIndex,
  Effect.gen(function* () {
    const layer = Layer.fresh(keptIn(yield* folder))
    const open = Effect.gen(function* () {
      const scope = yield* Scope.make()
      const built = yield* Scope.provide(Layer.build(layer), scope)
      return { scope, index: Context.get(built, SnippetIndex) }
    })
    let now = yield* open
    yield* Effect.addFinalizer(() => Scope.close(now.scope, Exit.void))
    const using = <A, E>(use: (index: SnippetIndex["Service"]) => Effect.Effect<A, E>) =>
      Effect.suspend(() => use(now.index))
    return SnippetIndex.of({
      apply: (changes, upTo) =>
        Effect.gen(function* () {
          const answer = yield* now.index.apply(changes, upTo)
          yield* Scope.close(now.scope, Exit.void)
          now = yield* open
          yield* now.index.stand
          return answer
        }),
      stand: using(({ stand }) => stand),
      candidates: (query, most) => using(({ candidates }) => candidates(query, most)),
      frequencies: (scope, terms) => using(({ frequencies }) => frequencies(scope, terms)),
      mayHave: (term) => now.index.mayHave!(term),
      size: using(({ size }) => size!)
    })
  })
).pipe(Layer.provideMerge(embeddings))
