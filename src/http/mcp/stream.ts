import { Effect, Exit, Fiber, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { Closing } from "#src/closing.ts"
import { explained } from "../middleware/problems.ts"
import { failuresOf, hasCall, type Message, progressTokenOf } from "./messages.ts"

/** A call that takes longer is answered as a stream. */
const patience = "1 second"
/** Seconds between two signs of life. */
const beat = 10

const stopping =
  "The service is stopping. What this call began goes on when it is back: make the same call again in a moment, and it waits for that."

const event = (message: object): string => `data: ${JSON.stringify(message)}\n\n`

/** Time has gone by, or the call has told how far it is. */
type Sign = { readonly beats: number } | { readonly told: string }

/** Says that the call is under way: as progress if that was asked for, otherwise as a comment, which clients ignore. */
const signsOfLife = (messages: ReadonlyArray<Message>) => {
  const tokens = messages.map(progressTokenOf).filter((token) => token !== undefined)
  let progress = 0
  let last = ""
  return (sign: Sign): string => {
    if (tokens.length === 0) return "told" in sign ? "" : ": under way\n\n"
    if ("told" in sign) last = sign.told
    const message = "told" in sign ? last : `${last} Under way for ${1 + sign.beats * beat} s.`.trimStart()
    progress += 1
    return tokens
      .map((progressToken) => {
        const params = { progressToken, progress, message }
        return event({ jsonrpc: "2.0", method: "notifications/progress", params })
      })
      .join("")
  }
}

/** An answer as events. If there was more than one message, the server has made events of it already. */
const eventsOf = (
  { body, status, headers }: HttpServerResponse.HttpServerResponse,
  messages: ReadonlyArray<Message>
) => {
  if (body._tag === "Stream") return Stream.orDie(body.stream)
  if (body._tag !== "Uint8Array") return Stream.empty
  const text = new TextDecoder().decode(body.body)
  if (status >= 400) return eventsToEach(messages, (JSON.parse(text) as { readonly message: string }).message)
  const framed = headers["content-type"]?.startsWith("text/event-stream") === true
  return Stream.encodeText(Stream.make(framed ? text : `data: ${text.trimEnd()}\n\n`))
}

const eventsToEach = (messages: ReadonlyArray<Message>, said: string) =>
  Stream.encodeText(Stream.fromIterable(failuresOf(messages, said).map(event)))

/**
 * Answers calls of tools, however long they take. Clients and proxies give up on a request of which they hear nothing:
 * agents after a minute, `fetch` after five. So an answer that takes longer becomes a stream, which says from time to
 * time that the call is under way, and passes on what the call has `told` of its progress.
 */
export const patiently = <E, R>(
  messages: ReadonlyArray<Message>,
  answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  told: Stream.Stream<string> = Stream.never
) =>
  Effect.gen(function* () {
    if (!hasCall(messages)) return yield* answer
    const closing = yield* Closing
    // when the client leaves, the request's scope closes, and nobody waits any more
    const call = yield* Effect.forkIn(answer, yield* Effect.scope)
    const soon = yield* Effect.timeoutOption(Fiber.await(call), patience)
    if (Option.isSome(soon)) return yield* soon.value
    const answered = Effect.flatMap(Fiber.await(call), (exit) =>
      Exit.isSuccess(exit)
        ? Effect.succeed(eventsOf(exit.value, messages))
        : Effect.map(explained(exit.cause), ({ message }) => eventsToEach(messages, message))
    )
    const stopped = Effect.as(closing.await, eventsToEach(messages, stopping))
    const signs = Stream.tick(`${beat} seconds`).pipe(
      Stream.zipWithIndex,
      Stream.map(([, beats]): Sign => ({ beats })),
      Stream.merge(Stream.map(told, (told): Sign => ({ told }))),
      Stream.map(signsOfLife(messages)),
      Stream.encodeText
    )
    const events = Stream.merge(signs, Stream.unwrap(Effect.raceFirst(answered, stopped)), { haltStrategy: "right" })
    return HttpServerResponse.stream(events, {
      contentType: "text/event-stream",
      // no cache may keep it, and no proxy may hold it back
      headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
    })
  })
