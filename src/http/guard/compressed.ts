import { Effect, Stream } from "effect"
import { HttpBody, HttpEffect, HttpMiddleware, HttpServerRequest, HttpServerResponse } from "effect/http"
import { turn } from "#ports/turn.ts"

/** Bytes that are compressed in one go: some 3 ms of the event loop where zlib runs on it, as it does in Deno. */
const slice = 64 * 1024
/** An answer of more bytes is not compressed: that would take longer than most networks take to carry it. */
const most = 4 * 1024 * 1024

/** Whether a type is compressed. A stream of events would wait for more of them; what is not text is small already. */
const compressible = (type: string): boolean => /^(?:application\/json|text\/(?!event-stream))/i.test(type)

const slices = (bytes: Uint8Array) =>
  Stream.fromIterable(
    (function* () {
      for (let at = 0; at < bytes.length; at += slice) yield bytes.subarray(at, at + slice)
    })()
  ).pipe(
    Stream.rechunk(1),
    // other requests get their turn
    Stream.tap(() => Effect.promise(turn))
  )

/** The same answer with a body that is compressed slice by slice. */
const sliced = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { body, headers } = response
  if (body._tag !== "Uint8Array" || body.contentLength <= slice) return response
  const type = headers["content-type"] ?? body.contentType
  return HttpServerResponse.setBody(response, HttpBody.stream(slices(body.body), type, body.contentLength))
}

const isTooLarge = ({ body }: HttpServerResponse.HttpServerResponse): boolean =>
  (body._tag === "Uint8Array" || body._tag === "Stream") && (body.contentLength ?? 0) > most

// every client knows it. Brotli keeps a megabyte and a half for each answer under way, even if nobody reads it
const compression = HttpMiddleware.compression({ algorithms: ["gzip"], compressible })

/** Clones bring their own compression. */
const asItIs = /^\/git\//

/**
 * Compresses answers as the caller accepts it. An answer's length gives no secret away: nobody can make another's
 * browser ask for answers that mix the secret with their own words, as no page can add the header that has the key.
 */
export const compressed = Effect.gen(function* () {
  const { headers, url } = yield* HttpServerRequest.HttpServerRequest
  const accepted = headers["accept-encoding"]
  if (accepted === undefined || asItIs.test(url)) return
  yield* HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(
      isTooLarge(response) ? HttpServerResponse.setHeader(response, "content-encoding", "identity") : sliced(response)
    )
  )
  yield* compression(Effect.succeed(HttpServerResponse.empty()))
})
