import { Effect, Queue, Schedule } from "effect"
import { IndexUnavailable } from "#ports/SnippetIndex.ts"
import { type Engine, patience } from "./Engine.ts"
import { allDid, type Copies, refreshed } from "./refreshed.ts"

interface Stats extends Copies {
  readonly _all?: { readonly total?: { readonly docs?: { readonly deleted: number } } }
}

/** Elasticsearch lets go of deleted documents once it has told all copies, which takes up to half a minute. */
const between = "2 seconds"
/** A copy that was away and has come back may still have what the others let go of meanwhile. */
const again = "24 hours"

/**
 * Removes what was deleted from the files, too, of every edition and every copy. It works in the background, at the
 * start and whenever it is told to, until nothing is left.
 */
export const makeExpunge = Effect.fnUntraced(function* ({ ask }: Engine, alias: string) {
  const wanted = yield* Queue.sliding<void>(1)
  const all = `${alias}-v*`
  const merge = Effect.gen(function* () {
    const { body: found } = yield* ask<object>({ method: "GET", path: `/${all}/_alias`, within: patience.search })
    if (Object.keys(found).length === 0) return
    yield* refreshed(ask, all, patience.write)
    const query = { only_expunge_deletes: true }
    yield* ask({ method: "POST", path: `/${all}/_forcemerge`, query, within: patience.merge })
    const { body } = yield* ask<Stats>({ method: "GET", path: `/${all}/_stats/docs`, within: patience.search })
    const left = body._all?.total?.docs?.deleted
    if (!allDid(body) || left !== 0)
      return yield* new IndexUnavailable({ fault: `${left ?? "some"} deleted documents are left` })
  })
  const whole = Effect.retry(merge, Schedule.spaced(between))
  const told = Effect.timeoutOption(Queue.take(wanted), again)
  yield* Effect.forkScoped(Effect.andThen(whole, Effect.forever(Effect.andThen(told, whole))))
  return () => void Queue.offerUnsafe(wanted, undefined)
})
