import { createHash } from "node:crypto"
import { Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { BodyLimits, type Limits, RawBody, small } from "#src/api/limits.ts"
import { Caller, Received, WellFormed } from "#src/api/middleware.ts"
import { Problem } from "#src/api/Problem.ts"
import { archiveBounds } from "#src/workspaces/archived.ts"
import { makeRoom, type Room, type RoomSize } from "../room.ts"
import { type Endpoint, knownFields, knownQuery } from "./body/fields.ts"
import { receive, receiveBytes, sizeAhead } from "./body/receive.ts"

export const unsupported = new Problem({
  code: "body/unsupported_type",
  message: "The body has a type that this route does not take. Send JSON with Content-Type: application/json."
})

const isJson = (type: string | undefined): boolean =>
  type === undefined || /^application\/json *(?:;|$)/i.test(type.slice(0, 100).trimStart())

const mebibyte = 1024 * 1024

/** Bodies of most requests. Large ones never keep these waiting. */
const forSmall: RoomSize = { all: 16 * mebibyte, each: 4 * mebibyte, keyless: 2 * mebibyte }
const forLarge: RoomSize = { all: 64 * mebibyte, each: 32 * mebibyte, keyless: 0 }
/** Bodies that are decided on at once. Each is in memory several times meanwhile: as values, text and bytes. */
const forDeciding: RoomSize = { all: 8 * mebibyte, each: 8 * mebibyte, keyless: 0 }
/** What clients ask git for. A client that sends it slowly keeps out only other clones. */
const forGit: RoomSize = { all: 32 * mebibyte, each: 16 * mebibyte, keyless: 0 }
/** Archives while they are unpacked: one at a time. */
const forUnpacking: RoomSize = { all: archiveBounds.bytes, each: archiveBounds.bytes, keyless: 0 }
/** A body up to so many bytes is decided on without waiting. */
const slight = mebibyte

/** The service's room for bodies: one for all routes. */
export class Rooms extends Context.Service<
  Rooms,
  { readonly small: Room; readonly large: Room; readonly deciding: Room; readonly git: Room; readonly unpacking: Room }
>()("cairn/Rooms") {
  static readonly layer = Layer.sync(Rooms, () => ({
    small: makeRoom(forSmall),
    large: makeRoom(forLarge),
    deciding: makeRoom(forDeciding),
    git: makeRoom(forGit),
    unpacking: makeRoom(forUnpacking)
  }))
}

/** The request with its body read: it gives `text`, of any type, as its text. */
export const havingRead = (
  request: HttpServerRequest.HttpServerRequest,
  text: unknown
): HttpServerRequest.HttpServerRequest => Object.create(request, { text: { value: Effect.succeed(text) } })

/** The request with its bytes read, as `application/octet-stream`, whatever type it named. */
const havingBytes = (request: HttpServerRequest.HttpServerRequest, bytes: Uint8Array) =>
  Object.create(request, {
    arrayBuffer: { value: Effect.succeed(bytes) },
    headers: { value: { ...request.headers, "content-type": "application/octet-stream" } }
  })

/** Reads a body; gives its value (of a raw one, a digest), its bytes, and the request that has it. */
const readBody = Effect.fnUntraced(function* (limits: Limits, raw: boolean) {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!raw) {
    const { value, bytes } = yield* receive(limits)
    return { value, bytes, having: havingRead(request, value) }
  }
  const bytes = yield* receiveBytes(limits)
  const value = createHash("sha256").update(bytes).digest("hex")
  return { value, bytes: bytes.length, having: havingBytes(request, bytes) }
})

/**
 * Runs with the request's body, read within its route's limits once there is room for it. The value of a `raw` body is
 * a digest.
 */
export const withBody = <A, E, R>(
  limits: Limits,
  run: Effect.Effect<A, E, R>,
  raw = false
): Effect.Effect<A, E | Problem, Exclude<R, Received> | HttpServerRequest.HttpServerRequest | Rooms> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const rooms = yield* Rooms
    const owner = Option.getOrUndefined(yield* Effect.serviceOption(Caller))?.key
    const ahead = yield* sizeAhead(request.headers, limits)
    const room = ahead <= small.bytes ? rooms.small : rooms.large
    const { enter, hold, leave } = room.stay(owner, ahead)
    const read = Effect.gen(function* () {
      const { value, bytes, having } = yield* readBody(limits, raw)
      // a chunked body was given room for all that its route takes, and a chat has it until the run has ended
      if (bytes < ahead) hold(bytes)
      const decided = run.pipe(
        Effect.provideService(Received, { value }),
        Effect.provideService(HttpServerRequest.HttpServerRequest, having)
      )
      // raw bytes are in memory only once
      return yield* raw || bytes <= slight ? decided : rooms.deciding.within(owner, bytes, decided)
    })
    return yield* Effect.ensuring(Effect.andThen(enter(false), read), Effect.sync(leave))
  }) as never

const nothing = { value: undefined }

/** Reads a body before anything else does. Refuses what is not JSON, exceeds a limit, or has unknown fields. */
export const layer = Layer.effect(
  WellFormed,
  Effect.map(
    Rooms,
    (rooms) =>
      ((httpEffect, options) =>
        Effect.gen(function* () {
          const endpoint = options.endpoint as unknown as Endpoint
          yield* knownQuery(endpoint)
          if (endpoint.method === "GET") return yield* Effect.provideService(httpEffect, Received, nothing)
          const { headers } = yield* HttpServerRequest.HttpServerRequest
          const limits = Context.get(endpoint.annotations, BodyLimits)
          if (Context.get(endpoint.annotations, RawBody)) return yield* withBody(limits, httpEffect, true)
          if (endpoint.payload.size > 0 && !isJson(headers["content-type"])) return yield* unsupported
          const known = Effect.flatMap(Received, ({ value }) => knownFields(endpoint, value))
          return yield* withBody(limits, Effect.andThen(known, httpEffect))
        }).pipe(Effect.provideService(Rooms, rooms))) as WellFormed["Service"]
  )
)
