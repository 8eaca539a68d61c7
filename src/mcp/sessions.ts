import { Clock, Effect } from "effect"
import type { Holder } from "#domain/Scope.ts"

/** How long a session lives without a request. */
const idleFor = 3_600_000
/** Sessions of one key, and of all keys of an organization; beyond that, the least recently used end. */
const mostPerKey = 100
const mostPerTenant = 1_000

interface Session {
  readonly key: string
  readonly tenant: string
  /** The session's id in this process's server. */
  readonly local: string
  usedAt: number
  /** Requests under way. */
  busy: number
}

/**
 * The sessions that this process's server has. The server would keep every session for ever, and take a request for it
 * from any caller; here a session belongs to the key that began it, ends when it is idle, and their number is bounded.
 * A session that ended only here is begun again at its next request: `McpSessions` knows which there are.
 */
export const makeSessions = (end: (id: string) => Effect.Effect<void>) => {
  // the least recently used first
  const sessions = new Map<string, Session>()

  const close = (id: string) =>
    Effect.suspend(() => {
      const session = sessions.get(id)
      return session !== undefined && sessions.delete(id) ? end(session.local) : Effect.void
    })

  const isOver = ({ usedAt, busy }: Session, now: number) => busy === 0 && usedAt <= now - idleFor

  const touch = (id: string, session: Session, now: number) => {
    session.usedAt = now
    sessions.delete(id)
    sessions.set(id, session)
  }

  return {
    /** Adds a session that a key has begun, here or elsewhere, and ends sessions that are too old or too many. */
    opened: Effect.fnUntraced(function* ({ key, tenant }: Pick<Holder, "key" | "tenant">, id: string, local = id) {
      const now = yield* Clock.currentTimeMillis
      sessions.set(id, { key, tenant, local, usedAt: now, busy: 0 })
      const count = (own: (session: Session) => boolean) => [...sessions.values()].filter(own).length
      const ofKey = (session: Session) => session.key === key
      const ofTenant = (session: Session) => session.tenant === tenant
      let [tooManyOfKey, tooManyOfTenant] = [count(ofKey) - mostPerKey, count(ofTenant) - mostPerTenant]
      for (const [other, session] of [...sessions]) {
        const isSurplus = (ofKey(session) && tooManyOfKey > 0) || (ofTenant(session) && tooManyOfTenant > 0)
        const ends = isSurplus && session.busy === 0 && other !== id
        if (!ends && !isOver(session, now)) continue
        if (ofKey(session)) tooManyOfKey -= 1
        if (ofTenant(session)) tooManyOfTenant -= 1
        yield* close(other)
      }
    }),

    /**
     * Begins a session that this process's server has already. It ends where that fails, as it is none for other
     * processes, and where its client leaves meanwhile.
     */
    begun: <A, E, R>(id: string, beginning: Effect.Effect<A, E, R>) => Effect.onError(beginning, () => end(id)),

    /** Whether the key has this session now. */
    has: Effect.fnUntraced(function* (key: string, id: string) {
      const session = sessions.get(id)
      if (session === undefined || session.key !== key) return false
      if (!isOver(session, yield* Clock.currentTimeMillis)) return true
      yield* close(id)
      return false
    }),

    /** A session's id in this process's server, if it has the session. */
    local: (id: string) => sessions.get(id)?.local,

    /** The ids in this process's server of the sessions that `isMeant` picks. */
    locals: (isMeant: (id: string) => boolean) =>
      [...sessions].flatMap(([id, { local }]) => (isMeant(id) ? [local] : [])),

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
