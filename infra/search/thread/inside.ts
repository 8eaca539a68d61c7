import type { MessagePort } from "node:worker_threads"
import { Cause, Deferred, Effect, Exit, type Fiber } from "effect"
import { inSteps } from "#engine/pages.ts"
import type { IndexChanges, IndexQuery, SnippetIndex } from "#ports/SnippetIndex.ts"
import { whereOf } from "../../whereOf.ts"
import { isGivenUp } from "../givenUp.ts"
import { unpacked, unpackedIds } from "./packed.ts"
import type { FromThread, PackedIds, Questions, ThreadData, ToThread } from "./protocol.ts"

/** An index that ranks what it finds. */
export type Finding = SnippetIndex["Service"] & Required<Pick<SnippetIndex["Service"], "find">>

const nothing = (): { readonly [Kind in keyof IndexChanges]: Array<IndexChanges[Kind][number]> } => ({
  put: [],
  voted: [],
  removed: []
})

/** A query as it was before it was sent. */
const received = Effect.fnUntraced(function* <Query extends { readonly only?: PackedIds }>({ only, ...query }: Query) {
  const its: Omit<Query, "only"> & Pick<IndexQuery, "only"> =
    only === undefined ? query : { ...query, only: yield* inSteps(unpackedIds(only)) }
  return its
})

/** Answers what comes in at a port of this thread, until it is told to finish. */
export const answering = Effect.fnUntraced(function* (
  index: Finding,
  port: MessagePort,
  { beat }: Pick<ThreadData, "beat">
) {
  const context = yield* Effect.context()
  const size = index.size ?? Effect.succeed(0)
  let changes = nothing()
  const answers: {
    readonly [Name in keyof Questions]: (...given: Questions[Name]) => Effect.Effect<unknown, unknown>
  } = {
    stand: () => index.stand,
    candidates: (query, most) => Effect.flatMap(received(query), (query) => index.candidates(query, most)),
    frequencies: index.frequencies,
    find: (query) => Effect.flatMap(received(query), index.find),
    apply: (upTo) => {
      const some = changes
      changes = nothing()
      return index.apply(some, upTo)
    }
  }
  const asked = new Map<number, Fiber.Fiber<unknown, unknown>>()
  const finish = yield* Deferred.make<void>()
  let beats: ReturnType<typeof setInterval> | undefined
  const alive = () => port.postMessage({ type: "alive" } satisfies FromThread)

  const answer = (id: number, exit: Exit.Exit<unknown, unknown>): FromThread => {
    if (Exit.isSuccess(exit)) return { type: "done", id, value: exit.value, size: Effect.runSyncWith(context)(size) }
    return Cause.hasInterruptsOnly(exit.cause)
      ? { type: "left", id }
      : { type: "threw", id, where: whereOf(Cause.squash(exit.cause)) }
  }

  const take = (message: ToThread): void => {
    if (message.type === "end") process.exit(0)
    if (message.type === "finish") Deferred.doneUnsafe(finish, Exit.void)
    if (message.type === "leave") {
      asked.get(message.id)?.interruptUnsafe()
      return
    }
    if (message.type === "changes") {
      if (message.first) changes = nothing()
      changes.put.push(...unpacked(message.put))
      changes.voted.push(...message.voted)
      changes.removed.push(...message.removed)
      return
    }
    if (message.type !== "ask") return
    const { id, name, given } = message
    const asking = Effect.suspend(() =>
      (answers[name] as (...given: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>)(...given)
    )
    const fiber = Effect.runForkWith(context)(asking)
    asked.set(id, fiber)
    beats ??= setInterval(alive, beat)
    fiber.addObserver((exit) => {
      asked.delete(id)
      if (asked.size === 0) {
        clearInterval(beats)
        beats = undefined
      }
      port.postMessage(answer(id, exit))
    })
  }
  // it may have been given up while it did not listen yet
  if (isGivenUp()) process.exit(0)
  port.on("message", take)
  port.postMessage({ type: "ready" } satisfies FromThread)
  return yield* Deferred.await(finish)
})
