import { connect, type Socket } from "node:net"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Exit, Fiber, Scope } from "effect"

/**
 * How often the server is asked, and how long its answer may take. It has that time twice, because this process itself
 * may have been at a standstill.
 */
const often = "1 second"
const patience = "5 seconds"
/** Milliseconds; with Node's own ten tries a second apart, a connection that says nothing is ended after 20 s. */
const keepAlive = 10_000

/** The place that a client reads from a URL: its query goes before the rest, and a host may be a folder. */
const placeOf = ({ hostname, port, searchParams }: URL) => {
  const named = decodeURIComponent(hostname.replace(/^\[(.*)\]$/, "$1"))
  const host = searchParams.getAll("host").at(-1) ?? (named || "localhost")
  const number = Number(searchParams.getAll("port").at(-1) ?? (port || 5432))
  return { host, to: host.startsWith("/") ? { path: `${host}/.s.PGSQL.${number}` } : { host, port: number } }
}

/**
 * Ends the connections to a server that answers nothing at all any more: it was stopped in its tracks, or something in
 * between lets nothing through. A statement has no limit of its own, so its caller would wait for as long. Gives what
 * to add to a client's settings.
 */
export const pulse = Effect.fnUntraced(function* (config: PgConnection.Config & { readonly at: URL }) {
  const { host, to } = placeOf(config.at)
  const open = new Set<Socket>()
  const stream = () => {
    // what says nothing for a while is noticed to be dead, and forgotten by nothing in between
    const socket = connect({ ...to, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAlive })
    open.add(socket)
    socket.once("close", () => open.delete(socket))
    return socket
  }
  const endAll = Effect.suspend(() => {
    const ended = [...open].filter((socket) => socket.destroy(new Error("the server does not answer")))
    return ended.length === 0 ? Effect.void : Effect.logWarning(`the database at ${host} does not answer any more`)
  })

  const outer = yield* Effect.scope
  let session: { readonly scope: Scope.Closeable; readonly connection: PgConnection.PgConnection } | undefined
  const ask = Effect.gen(function* () {
    if (session === undefined) {
      const scope = yield* Scope.fork(outer)
      // longer than anybody waits: a server that lets nobody in any more neither answers nor refuses
      const own = { ...config, stream, applicationName: "cairn pulse", connectTimeout: "1 minute" } as const
      const made = Scope.provide(PgConnection.make(own), scope)
      const connection = yield* Effect.onError(made, () => Scope.close(scope, Exit.void))
      session = { scope, connection }
    }
    yield* session.connection.query("SELECT 1", [], false)
  })
  const beat = Effect.gen(function* () {
    const asked = yield* Effect.forkChild(Effect.exit(ask))
    const answer = Effect.timeoutOption(Fiber.join(asked), patience)
    const first = yield* answer
    const answered = first._tag === "Some" ? first : yield* answer
    if (answered._tag === "Some" && Exit.isSuccess(answered.value)) return
    // a server that refuses has ended its connections itself
    if (answered._tag === "None") yield* endAll
    yield* Fiber.interrupt(asked)
    if (session !== undefined) yield* Scope.close(session.scope, Exit.void)
    session = undefined
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(often), beat)))
  return { stream }
})
