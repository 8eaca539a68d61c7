import { Effect, Queue, Schedule } from "effect"
import { IndexUnavailable } from "#ports/SnippetIndex.ts"
import { type Engine, patience } from "./Engine.ts"
import { areOnDisk, isLetGo, type LastWrites, lastWritesIn, type Stats } from "./letGo.ts"
import { allDid, type Copies, refreshed } from "./refreshed.ts"

/** Elasticsearch lets go of deleted documents once it has told all copies, which takes up to half a minute. */
const between = Schedule.min([Schedule.exponential("2 seconds", 1.5), Schedule.spaced("30 seconds")])
/** A copy that was away and has come back may still have what the others let go of meanwhile. */
const again = "24 hours"

/**
 * Removes what was deleted from the files, too, of every edition and every copy. It works in the background, at the
 * start and whenever it is told to, until nothing is left of what was deleted by then: each vote deletes a document
 * more, so to wait until none is left might take for ever.
 */
export const makeExpunge = Effect.fnUntraced(function* ({ ask }: Engine, alias: string) {
  const wanted = yield* Queue.sliding<void>(1)
  const all = `${alias}-v*`

  const done = Effect.fnUntraced(function* (what: "_flush" | "_forcemerge") {
    const [query, within] =
      what === "_flush" ? [undefined, patience.write] : [{ only_expunge_deletes: true }, patience.merge]
    const { body } = yield* ask<Copies>({ method: "POST", path: `/${all}/${what}`, ...(query && { query }), within })
    if (!allDid(body)) return yield* new IndexUnavailable({ fault: `Elasticsearch did not ${what} every copy` })
  })

  /** Fails until what was deleted by the time of its first look has gone. */
  const merging = () => {
    let before: LastWrites | undefined
    return Effect.gen(function* () {
      const { body: found } = yield* ask<object>({ method: "GET", path: `/${all}/_alias`, within: patience.search })
      if (Object.keys(found).length === 0) return
      yield* refreshed(ask, all, patience.write)
      const query = { level: "shards" }
      const path = `/${all}/_stats/docs,merge`
      const { body: stats } = yield* ask<Stats>({ method: "GET", path, query, within: patience.search })
      if (!allDid(stats)) return yield* new IndexUnavailable({ fault: "not every copy tells what is left" })
      before ??= lastWritesIn(stats)
      // a merge of its own accord may have removed it, but from the files in use only
      if (stats._all?.total?.docs?.deleted === 0) return yield* done("_flush")
      if (before !== undefined && isLetGo(stats, before)) return yield* done("_forcemerge")
      if (before !== undefined && !areOnDisk(stats, before)) yield* done("_flush")
      return yield* new IndexUnavailable({ fault: "deleted documents are kept yet" })
    })
  }
  const whole = Effect.suspend(() => Effect.retry(merging(), between))
  const told = Effect.timeoutOption(Queue.take(wanted), again)
  yield* Effect.forkScoped(Effect.andThen(whole, Effect.forever(Effect.andThen(told, whole))))
  return () => void Queue.offerUnsafe(wanted, undefined)
})
