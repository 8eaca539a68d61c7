import { Clock, Effect } from "effect"

/** How long a session lives without a request. */
const idleFor = 3_600_000
/** Sessions of one key; of more, those that were not used for longest end. */
const mostPerKey = 100

interface Session {
  readonly key: string
  usedAt: number
  /** Requests under way. */
  busy: number
}

/**
 * Whose sessions there are. The server would keep every session for ever and take a request for it from anyone; here
 * they belong to the key that began them, end when nobody uses them, and are no more than so many.
 */
export const makeSessions = (end: (id: string) => Effect.Effect<void>) => {
  // the least recently used first
  const sessions = new Map<string, Session>()

  const close = (id: string) => Effect.suspend(() => (sessions.delete(id) ? end(id) : Effect.void))

  const isOver = ({ usedAt, busy }: Session, now: number) => busy === 0 && usedAt <= now - idleFor

  const touch = (id: string, session: Session, now: number) => {
    session.usedAt = now
    sessions.delete(id)
    sessions.set(id, session)
  }

  return {
    /** Notes a session that a key has begun; ends those that are too old or too many. */
    opened: Effect.fnUntraced(function* (key: string, id: string) {
      const now = yield* Clock.currentTimeMillis
      sessions.set(id, { key, usedAt: now, busy: 0 })
      let surplus = [...sessions.values()].filter((session) => session.key === key).length - mostPerKey
      for (const [other, session] of [...sessions]) {
        const tooMany = surplus > 0 && session.key === key && session.busy === 0 && other !== id
        if (!tooMany && !isOver(session, now)) continue
        if (session.key === key) surplus -= 1
        yield* close(other)
      }
    }),

    /** Whether the key has this session now. */
    has: Effect.fnUntraced(function* (key: string, id: string) {
      const session = sessions.get(id)
      if (session === undefined || session.key !== key) return false
      if (!isOver(session, yield* Clock.currentTimeMillis)) return true
      yield* close(id)
      return false
    }),

    /** Keeps a session alive while a request of it is under way. */
    using: <A, E, R>(id: string, request: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.map(Clock.currentTimeMillis, (now) => {
          const session = sessions.get(id)
          if (session === undefined) return undefined
          session.busy += 1
          touch(id, session, now)
          return session
        }),
        () => request,
        (session) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            if (session === undefined) return
            session.busy -= 1
            if (sessions.get(id) === session) touch(id, session, now)
          })
      ),

    close
  }
}
