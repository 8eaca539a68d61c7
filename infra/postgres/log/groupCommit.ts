import { Effect, type Scope } from "effect"

/** Units that go out in one call. */
const unitsAtOnce = 1024
/**
 * So many units are worth a second call while one is under way; fewer wait for it and go out with those that come
 * meanwhile. Twice as many go out as two at once: else all who wait for an answer would have it together, and the
 * server nothing to do until they have come again.
 */
const worthASecond = 64

/**
 * Gathers what is offered while a call is under way, and sends it as one (group commit): alone, each would wait for the
 * log's lock and for the disk. A second call may be under way beside the first: its units are made ready, sent and
 * taken in by the server, while the first still waits for the disk.
 *
 * `send` must not fail. Answers whether the unit was taken: no more are once the scope has closed, and those that
 * still waited then are given to `refuse`.
 */
export const groupCommit = Effect.fnUntraced(function* <A>(options: {
  /** Bytes that fill a call: the unit that reaches them is its last. */
  readonly most: number
  readonly bytes: (unit: A) => number
  readonly send: (units: ReadonlyArray<A>) => Effect.Effect<void>
  readonly refuse: (units: ReadonlyArray<A>) => Effect.Effect<void>
}): Effect.fn.Return<(unit: A) => Effect.Effect<boolean>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const waiting: Array<A> = []
  let underWay = 0
  let gathering = false
  /** Whether the last call had several units, or there was none yet. */
  let company = true
  let closed = false

  const next = (): Array<A> => {
    let bytes = 0
    let units = 0
    const halved = underWay === 0 && waiting.length >= 2 * worthASecond
    const count = Math.min(halved ? Math.ceil(waiting.length / 2) : waiting.length, unitsAtOnce)
    while (units < count && bytes < options.most) bytes += options.bytes(waiting[units++]!)
    return waiting.splice(0, units)
  }

  const pump: Effect.Effect<void> = Effect.suspend(() => {
    const due = underWay === 0 ? waiting.length > 0 : underWay === 1 && waiting.length >= worthASecond
    if (!due || closed) return Effect.void
    const units = next()
    underWay += 1
    company = units.length > 1
    return options.send(units).pipe(
      Effect.onInterrupt(() => options.refuse(units)),
      Effect.ensuring(Effect.sync(() => (underWay -= 1))),
      Effect.andThen(pump),
      Effect.forkIn(scope, { startImmediately: true }),
      Effect.andThen(pump)
    )
  })

  yield* Effect.addFinalizer(() => {
    closed = true
    return options.refuse(waiting.splice(0))
  })

  return (unit) =>
    Effect.suspend(() => {
      if (closed) return Effect.succeed(false)
      waiting.push(unit)
      // that of the only client, whose last one was alone, has nobody to wait for
      if (!company) return Effect.as(pump, true)
      if (gathering) return Effect.succeed(true)
      gathering = true
      // whoever else is about to offer comes first, so that theirs go along
      const gather = Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => void (gathering = false))
      )
      return Effect.as(Effect.forkIn(Effect.andThen(gather, pump), scope, { startImmediately: true }), true)
    })
})
