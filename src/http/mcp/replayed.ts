import { Context, Effect, Scheduler } from "effect"
import { Headers, HttpEffect, HttpServerRequest, type HttpServerResponse } from "effect/http"

export const path = "/mcp"
export const sessionHeader = "mcp-session-id"

type Handler = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>

/** A request that names a session as this process's server calls it. */
export const calling = (request: HttpServerRequest.HttpServerRequest, local: string) =>
  Object.create(request, {
    headers: { value: Headers.set(request.headers, sessionHeader, local) }
  }) as HttpServerRequest.HttpServerRequest

/**
 * Begins sessions here that were begun elsewhere: the server is told what the client said when it began them. Of those that ask for one at
 * once, the first begins it; `begun` hears what it is called here.
 */
export const replaying = (handle: Handler, scheduler: Scheduler.Scheduler) => {
  // it gives the request itself
  const handled = Effect.flatMap(HttpServerRequest.HttpServerRequest, handle) as Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    never
  >
  // by the scheduler of the server's own fibers: from another one a message's end may overtake it, and nothing answers
  const posted = HttpEffect.toWebHandlerWith(Context.make(Scheduler.Scheduler, scheduler))(handled)
  const underWay = new Map<string, Promise<void>>()

  return <E>(session: string, initialize: string, begun: (local: string) => Effect.Effect<void, E>) => {
    const replay = async (run: (effect: Effect.Effect<void, E>) => Promise<void>) => {
      const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" }
      const response = await posted(new Request(`http://cairn${path}`, { method: "POST", headers, body: initialize }))
      await response.body?.cancel()
      const local = response.headers.get(sessionHeader)
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
}
