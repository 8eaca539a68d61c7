import { Effect, Stream } from "effect"
import { HttpBody, HttpEffect, HttpMiddleware, HttpServerRequest, HttpServerResponse } from "effect/http"
import { turn } from "#ports/turn.ts"

/** Bytes that are compressed in one go: some 3 ms of the event loop where zlib runs on it, as it does in Deno. */
const slice = 64 * 1024
/** Bytes above which an answer goes as it is: compressing it would take longer than most networks take to carry it. */
const most = 4 * 1024 * 1024

/** Streams of events must not wait for more of them; what is not text is small already. */
const compressible = (type: string): boolean => /^(?:application\/json|text\/(?!event-stream))/i.test(type)

const slices = (bytes: Uint8Array) =>
  Stream.fromIterable(
    (function* () {
      for (let at = 0; at < bytes.length; at += slice) yield bytes.subarray(at, at + slice)
    })()
  ).pipe(
    Stream.rechunk(1),
    // others' requests come in between
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

// everyone has it. Brotli keeps a megabyte and a half for each answer that is under way, also one that nobody reads
const compression = HttpMiddleware.compression({ algorithms: ["gzip"], compressible })

/** Clones bring their own compression. */
const asItIs = /^\/git\//

/**
 * Has what is sent compressed as its caller takes it. No answer has a secret beside words of somebody who could not
 * read it anyway: keys come in a header that no page can add for its visitor, so nobody can have another's answers made
 * to measure them.
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
