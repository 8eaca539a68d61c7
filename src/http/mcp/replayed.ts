import { Context, Effect, Scheduler } from "effect"
import { Headers, HttpEffect, HttpServerRequest, type HttpServerResponse } from "effect/http"

export const path = "/mcp"
export const sessionHeader = "mcp-session-id"

type Handler = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>

/** The request with this process's own id for its session. */
export const calling = (request: HttpServerRequest.HttpServerRequest, local: string) =>
  Object.create(request, {
    headers: { value: Headers.set(request.headers, sessionHeader, local) }
  }) as HttpServerRequest.HttpServerRequest

/**
 * Repeats to this process's server what clients have told others. `begin` begins a session here that was begun
 * elsewhere, once for all who ask for it at the same time; `begun` gets its id here. `say` passes on a message of a
 * session, as JSON.
 */
export const replaying = (handle: Handler, scheduler: Scheduler.Scheduler) => {
  // `toWebHandlerWith` provides the request itself
  const handled = Effect.flatMap(HttpServerRequest.HttpServerRequest, handle) as Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    never
  >
  // with the service's scheduler, in turns with everybody else: without it, Effect's own would run this
  const posted = HttpEffect.toWebHandlerWith(Context.make(Scheduler.Scheduler, scheduler))(handled)
  const underWay = new Map<string, Promise<void>>()
  const post = async (body: string, more: { readonly [name: string]: string } = {}) => {
    const headers = { accept: "application/json, text/event-stream", "content-type": "application/json", ...more }
    const response = await posted(new Request(`http://cairn${path}`, { method: "POST", headers, body }))
    await response.body?.cancel()
    return response
  }

  const begin = <E>(session: string, initialize: string, begun: (local: string) => Effect.Effect<void, E>) => {
    const replay = async (run: (effect: Effect.Effect<void, E>) => Promise<void>) => {
      const local = (await post(initialize)).headers.get(sessionHeader)
      if (local !== null) await run(begun(local))
    }
    return Effect.flatMap(Effect.context<never>(), (context) =>
      Effect.promise(() => {
        const first =
          underWay.get(session) ?? replay(Effect.runPromiseWith(context)).finally(() => void underWay.delete(session))
        underWay.set(session, first)
        return first
      })
    )
  }
  const say = (local: string, message: string) =>
    Effect.asVoid(Effect.promise(() => post(message, { [sessionHeader]: local })))
  return { begin, say }
}
