import "./process/effectAlone.ts"

import { parentPort, workerData } from "node:worker_threads"
import { Context, Effect, Layer, Scheduler } from "effect"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import { heed } from "#infra/search/givenUp.ts"
import * as MemorySnippetIndex from "#infra/search/memory/layer.ts"
import { linesOver, originOver } from "#infra/search/thread/fromInside.ts"
import { answering } from "#infra/search/thread/inside.ts"
import type { KeptData, ThreadData } from "#infra/search/thread/protocol.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { SnippetIndex, type WholeQuery } from "#ports/SnippetIndex.ts"
import { FairScheduler } from "./process/scheduler.ts"
import { answer } from "./snippets/find.ts"

/** What the thread is given at its start: how many numbers its index's vectors have, if they are not the table's. */
export interface SearchThreadData {
  readonly dimensions?: number
  /** Where the index is kept, if it is. */
  readonly kept?: KeptData
}

const { dimensions, kept, givenUp, beat } = workerData as SearchThreadData & ThreadData
heed(givenUp)

const keptBy = ({ whose, full, ...options }: KeptData) =>
  MemorySnippetIndex.layerOfLog(originOver(parentPort!, whose), {
    ...options,
    isFull: () => Atomics.load(new Int32Array(full), 0) !== 0
  })
const unkept = dimensions === undefined ? MemorySnippetIndex.layer : MemorySnippetIndex.layerOf(dimensions)
const index = kept === undefined ? unkept : keptBy(kept)

/** The program of the thread that has the snippet index in memory, and ranks what it finds there. */
const program = Effect.gen(function* () {
  const finding = Context.pick(Embeddings, SnippetIndex)(yield* Effect.context<Embeddings | SnippetIndex>())
  const index = yield* SnippetIndex
  const itself = { ...index, find: (query: WholeQuery) => Effect.provideContext(answer(query), finding) }
  return yield* answering(itself, parentPort!, { beat })
}).pipe(
  Effect.provide(Layer.provideMerge(index, EmbeddingTable.layer).pipe(Layer.provideMerge(linesOver(parentPort!)))),
  Effect.provideService(Scheduler.Scheduler, new FairScheduler())
)

await Effect.runPromise(program)
process.exit(0)
