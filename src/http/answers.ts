import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Context, Effect, Layer, Option, Semaphore, Stream } from "effect"
import { HttpBody, HttpServerRequest, HttpServerResponse } from "effect/http"
import { turn } from "#ports/turn.ts"
import { Caller } from "#src/api/middleware.ts"
import type { Problem } from "#src/api/Problem.ts"
import { bytesOf, portioned, slice, slight } from "#src/portions.ts"
import { makeRoom, type RoomSize, type Stay } from "./room.ts"

const mebibyte = 1024 * 1024

/** Room for answers that are made and wait for their readers. */
const forAnswers: RoomSize = { all: 64 * mebibyte, each: 32 * mebibyte, keyless: 8 * mebibyte }

/** How many times an answer's data is in memory: as it was read, as values, and as text. */
export const copies = 3

/**
 * Reads portions one after another, each once the one before was taken. A large portion takes room first, and gives it
 * back when the next one is asked for.
 */
export const byPortions = <A extends { readonly bytes: number }, B, E, R>(
  rows: ReadonlyArray<A>,
  read: (portion: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E, R>
) => {
  let stay: Stay | undefined
  return Stream.fromArray(portioned(rows)).pipe(
    Stream.rechunk(1),
    Stream.mapEffect((portion) =>
      Effect.gen(function* () {
        stay?.leave()
        const bytes = bytesOf(portion)
        stay = bytes <= slight ? undefined : yield* (yield* Answers).take(copies * bytes)
        return yield* read(portion)
      })
    )
  )
}

/** Milliseconds that a reader may let the service wait, and how many bytes taken earn it one more. */
const grace = 5_000
const pace = 512

/** The reader of an answer that has room. */
interface Reader {
  readonly owner: string | undefined
  readonly stays: Set<Stay>
  /** Bytes that it has taken. */
  taken: number
  /** For how many milliseconds the service has waited for it, and since when it waits now. */
  waited: number
  since: number | undefined
}

/** Whether the service has waited longer than the bytes that the reader has taken allow. */
const isSlow = ({ taken, waited, since }: Reader, now: number): boolean =>
  waited + (since === undefined ? 0 : now - since) > grace + taken / pace

const responseTo = (request: HttpServerRequest.HttpServerRequest) =>
  NodeHttpServerRequest.toServerResponse(request) as ServerResponse

const slices = function* (bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += slice) yield bytes.subarray(at, at + slice)
}

/**
 * Bounds the memory of large answers, from when they are made until they are taken. An answer that is written piece by
 * piece takes none, however long it is: its pieces are made as they are read.
 */
export class Answers extends Context.Service<
  Answers,
  {
    /**
     * Waits for room for so many bytes of the request's answer. The room is given back when the answer has left, or
     * before.
     */
    readonly take: (bytes: number) => Effect.Effect<Stay, Problem, HttpServerRequest.HttpServerRequest>
    /**
     * Counts bytes of the request's answer that are in memory already, if no room was taken for it. 0 bytes: only
     * watches the reader from the answer's beginning, as the answer may take room later.
     */
    readonly count: (bytes: number) => Effect.Effect<void, never, HttpServerRequest.HttpServerRequest>
    /** The answer as it is sent: a large one by slices, each when the one before was taken. */
    readonly sent: (
      request: HttpServerRequest.HttpServerRequest,
      response: HttpServerResponse.HttpServerResponse
    ) => HttpServerResponse.HttpServerResponse
    /** Runs a read of unknown size: only two such reads go on at once. */
    readonly looking: <A, E, R>(read: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Bytes of answers that are in hand now. */
    readonly held: () => number
    /** How many answers wait for room. */
    readonly waiting: () => number
  }
>()("cairn/Answers") {
  static readonly layer = Layer.effect(
    Answers,
    Effect.gen(function* () {
      const room = makeRoom(forAnswers)
      const readers = new Map<ServerResponse, Reader>()

      const readerOf = (response: ServerResponse, owner: string | undefined): Reader => {
        const known = readers.get(response)
        if (known !== undefined) return known
        const reader: Reader = { owner, stays: new Set(), taken: 0, waited: 0, since: undefined }
        // of a client that has left, nothing is kept: no end of it comes any more
        if (response.destroyed) return reader
        readers.set(response, reader)
        response.once("close", () => {
          readers.delete(response)
          for (const { leave } of reader.stays) leave()
        })
        return reader
      }

      const newStay = (reader: Reader, bytes: number): Stay => {
        const stay = room.stay(reader.owner, bytes)
        reader.stays.add(stay)
        return stay
      }

      const asking = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const owner = Option.getOrUndefined(yield* Effect.serviceOption(Caller))?.key
        const response = responseTo(request)
        return { response, reader: readerOf(response, owner) }
      })

      const count = Effect.fnUntraced(function* (bytes: number) {
        const { response, reader } = yield* asking
        if (bytes > 0 && reader.stays.size === 0 && !response.destroyed) newStay(reader, bytes).hold(bytes)
      })

      const take = Effect.fnUntraced(function* (bytes: number) {
        const { response, reader } = yield* asking
        const stay = newStay(reader, bytes)
        // the client has left: the request is being interrupted
        if (response.destroyed) stay.leave()
        yield* Effect.onError(stay.enter(response.headersSent), () => Effect.sync(stay.leave))
        return stay
      })

      /** Counts for how long the service waits for the reader, and what the reader has taken by then. */
      const paced = (reader: Reader, body: Stream.Stream<Uint8Array, unknown>) =>
        Stream.suspend(() => {
          let given = 0
          const taken = Effect.map(Clock.currentTimeMillis, (now) => {
            if (reader.since === undefined) return
            reader.waited += now - reader.since
            reader.taken += given
            reader.since = undefined
          })
          const giving = (bytes: Uint8Array) =>
            Effect.map(Clock.currentTimeMillis, (now) => {
              given = bytes.length
              reader.since = now
            })
          return Stream.fromPull(
            Effect.map(Stream.toPull(Stream.tap(Stream.rechunk(body, 1), giving)), (pull) =>
              Effect.andThen(taken, pull)
            )
          ).pipe(Stream.scoped)
        })

      const sent = (
        request: HttpServerRequest.HttpServerRequest,
        response: HttpServerResponse.HttpServerResponse
      ): HttpServerResponse.HttpServerResponse => {
        const { body, headers } = response
        const to = responseTo(request)
        // nobody takes it
        if (to.destroyed) return response
        const known = readers.get(to)
        const type = headers["content-type"] ?? (body._tag === "Stream" ? body.contentType : undefined)
        if (body._tag === "Stream") {
          if (known === undefined) return response
          return HttpServerResponse.setBody(
            response,
            HttpBody.stream(paced(known, body.stream), type ?? body.contentType, body.contentLength)
          )
        }
        if (body._tag !== "Uint8Array") return response
        const small = body.contentLength <= slight
        if (small) {
          for (const { leave } of known?.stays ?? []) leave()
          return response
        }
        // the body is in memory: its maker took room for it, or it is counted from now on
        const reader = readerOf(to, known?.owner)
        const [first = newStay(reader, 0), ...others] = reader.stays
        for (const { leave } of others) leave()
        first.hold(body.contentLength)
        const pieces = Stream.fromIterable(slices(body.body)).pipe(
          Stream.rechunk(1),
          Stream.tap(() => Effect.promise(turn))
        )
        return HttpServerResponse.setBody(
          response,
          HttpBody.stream(paced(reader, pieces), type ?? body.contentType, body.contentLength)
        )
      }

      const cutSlow = Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [response, reader] of readers) {
          if (isSlow(reader, now) && room.keepsOut(reader.owner)) response.destroy()
        }
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep("1 second"), cutSlow)))

      return Answers.of({
        take,
        count,
        sent,
        looking: (yield* Semaphore.make(2)).withPermits(1),
        held: room.held,
        waiting: room.waiting
      })
    })
  )
}
