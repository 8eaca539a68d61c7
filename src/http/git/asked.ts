import { Effect, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { small } from "#src/api/limits.ts"
import { Caller } from "#src/api/middleware.ts"
import { Problem } from "#src/api/Problem.ts"
import { Rooms } from "../middleware/body.ts"
import type { Room } from "../room.ts"

export const unreadable = new Problem({
  code: "validation/invalid_body",
  message: "The body is not what its Content-Encoding says. Send it plain or as gzip."
})

/** The most bytes of a fetch request, uncompressed: it can name some 160,000 commits that the client has. */
export const requestBytes = 8 * 1024 * 1024
/** How long all of it may take to come. */
const patience = "60 seconds"

const tooSlow = new Problem({
  code: "body/too_slow",
  message: "The request came too slowly. Fetch again, over a faster connection."
})

/** A request's body, unpacked. */
export const plainOf = (request: HttpServerRequest.HttpServerRequest): Stream.Stream<Uint8Array, unknown> => {
  const encoding = request.headers["content-encoding"]
  if (encoding === undefined || encoding === "identity") return request.stream
  const plain = Stream.toReadableStream(request.stream).pipeThrough(
    new DecompressionStream("gzip") as unknown as ReadableWritablePair<Uint8Array, Uint8Array>
  )
  return Stream.fromReadableStream({ evaluate: () => plain, onError: () => unreadable })
}

/** Room that is given back when the request has been answered. */
const roomFor = Effect.fnUntraced(function* (room: Room, owner: string, bytes: number) {
  const stay = room.stay(owner, bytes)
  yield* Effect.addFinalizer(() => Effect.sync(stay.leave))
  yield* stay.enter(false)
  return stay
})

/**
 * What a client asks git for, read as a whole: git has nothing to do before it is there. It keeps its room until the
 * answer has left, since the answer waits for room too. Nobody knows its unpacked size before: it takes room for a
 * small request, and for the largest only once it turns out to be no small one.
 */
export const asked = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { key } = yield* Caller
  const { git } = yield* Rooms
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  let stay = yield* roomFor(git, key, small.bytes)
  const take = Effect.fnUntraced(function* (chunk: Uint8Array) {
    const before = bytes
    bytes += chunk.length
    if (bytes > requestBytes) return yield* unreadable
    if (before <= small.bytes && bytes > small.bytes) {
      stay.leave()
      stay = yield* roomFor(git, key, requestBytes)
    }
    chunks.push(chunk)
  })
  yield* Stream.runForEach(plainOf(request), take).pipe(
    Effect.mapError((error) => (error instanceof Problem ? error : unreadable)),
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(tooSlow) })
  )
  stay.hold(bytes)
  return new Uint8Array(Buffer.concat(chunks))
})
