import { Effect, type Scope } from "effect"

/** The most units that go out in one call. */
const unitsAtOnce = 1024
/**
 * With this many units, a second call goes out beside the first; fewer wait for the first to end, and go out with those
 * that come meanwhile. Twice as many go out as two calls: if one call answered all callers together, the server would
 * idle until they came again.
 */
const worthASecond = 64

/**
 * Group commit: gathers the units offered while a call is under way, and sends them as one. Alone, each would wait for
 * the log's lock and for the disk. A second call may run beside the first: its units are prepared, sent and taken in by
 * the server while the first still waits for the disk.
 *
 * `send` must not fail. The function it gives tells whether it took the unit: it takes none once the scope has closed,
 * and the units that still waited then go to `refuse`.
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
  /** Whether the last call had several units; true until there was a call. */
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
      // the last call had one unit, so there is one client: its next unit has no others to wait for
      if (!company) return Effect.as(pump, true)
      if (gathering) return Effect.succeed(true)
      gathering = true
      // lets others that are about to offer a unit go first, so that theirs go along
      const gather = Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => void (gathering = false))
      )
      return Effect.as(Effect.forkIn(Effect.andThen(gather, pump), scope, { startImmediately: true }), true)
    })
})
