import { Effect, Queue, Schedule } from "effect"
import { IndexUnavailable } from "#ports/SnippetIndex.ts"
import { type Engine, patience } from "./Engine.ts"

interface Stats {
  readonly _all?: { readonly primaries?: { readonly docs?: { readonly deleted: number } } }
}

/** Elasticsearch lets go of what was deleted when it has told all its copies, which takes it up to half a minute. */
const between = "2 seconds"

/**
 * Takes what was deleted out of the files, too: in the background, from the start on and whenever it is told to, until
 * nothing of it is left.
 */
export const makeExpunge = Effect.fnUntraced(function* ({ ask }: Engine, alias: string) {
  const wanted = yield* Queue.sliding<void>(1)
  const merge = Effect.gen(function* () {
    const { status } = yield* ask({ method: "POST", path: `/${alias}/_refresh`, within: patience.write })
    if (status === 404) return
    const query = { only_expunge_deletes: true }
    yield* ask({ method: "POST", path: `/${alias}/_forcemerge`, query, within: patience.merge })
    const { body } = yield* ask<Stats>({ method: "GET", path: `/${alias}/_stats/docs`, within: patience.search })
    const left = body._all?.primaries?.docs?.deleted ?? 0
    if (left > 0) return yield* new IndexUnavailable({ fault: `${left} deleted documents are left` })
  })
  const whole = Effect.retry(merge, Schedule.spaced(between))
  yield* Effect.forkScoped(Effect.andThen(whole, Effect.forever(Effect.andThen(Queue.take(wanted), whole))))
  return () => void Queue.offerUnsafe(wanted, undefined)
})
