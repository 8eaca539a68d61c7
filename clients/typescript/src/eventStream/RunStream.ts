import type { RequestOptions, Settings } from "../options.ts"
import { type Call, part } from "../request.ts"
import { type RunEvent, type RunText, runEventOf } from "../resources/runEvents.ts"
import { connections, type Meaning } from "./connections.ts"
import { ending } from "./EventStream.ts"

/** How a run is come by: it is asked for, or it is there. */
export type RunSource =
  | { readonly asking: Omit<Call<never>, "answer" | "timeout"> }
  | { readonly run: string; readonly after: string | undefined }

/** How far a run was heard. */
interface Place {
  readonly run: string | undefined
  /** The id of the last step. */
  readonly last: string | undefined
  /** What the model has said of the turn that it is at. */
  readonly heard: Pick<RunText, "turn" | "text">
  /** Whether the answer has come. */
  readonly over: boolean
}

/**
 * A run as it goes on, up to its answer: steps, and in between what the model says. When the connection is cut it is
 * made again, behind the last step: none is left out, none comes twice. Ends behind the answer, with `break`, or with
 * the reason of the call's `signal`; none of these stops the run.
 *
 * Iterated again, it goes on with the same run, behind what it has given; behind the answer nothing comes. So one
 * `chat.stream(…)` is one run, however often it is iterated. To hear a run from its beginning, call `runs.stream`.
 */
export class RunStream implements AsyncIterable<RunEvent> {
  readonly #settings: Settings
  readonly #make: () => RunSource
  readonly #options: RequestOptions
  /** Asked for again by the same, it is the same run. */
  #idempotencyKey: string | undefined
  #source: RunSource | undefined
  #place: Place | undefined

  /** @internal */
  constructor(settings: Settings, make: () => RunSource, options: RequestOptions = {}) {
    this.#settings = settings
    this.#make = make
    this.#options = options
    this.#idempotencyKey = options.idempotencyKey
  }

  /**
   * The events, one after the other, behind those that it has given.
   * @throws {@link APIError}: 404 `not_found/run`: also when its workspace is erased meanwhile.
   * @throws {@link AuthenticationError}: The key was revoked, or may not do this any more.
   * @throws {@link CacheUnavailableError}: So many connections in a row brought nothing as `maxRetries` allows.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    this.#source ??= this.#make()
    const source = this.#source
    if ("asking" in source) this.#idempotencyKey ??= globalThis.crypto.randomUUID()
    let place: Place = this.#place ?? {
      run: "run" in source ? source.run : undefined,
      last: "run" in source ? source.after : undefined,
      heard: { turn: 0, text: "" },
      over: false
    }
    if (place.over) return
    /** Each iteration has a place of its own, so that two at once take nothing from each other. */
    const move = (to: Partial<Place>) => {
      place = { ...place, ...to }
      this.#place = place
    }

    /** What of a piece was not given yet: over a new connection a turn is said from its beginning. */
    const news = (piece: RunText): RunText | undefined => {
      const { turn, text } = place.heard
      const before = turn === piece.turn && piece.offset === 0 ? text : ""
      if (before !== "" && piece.text.startsWith(before)) {
        move({ heard: piece })
        const rest = piece.text.slice(before.length)
        return rest === "" ? undefined : { ...piece, offset: before.length, text: rest }
      }
      move({ heard: piece.offset === 0 ? piece : { turn: piece.turn, text: text + piece.text } })
      return piece
    }

    const meaning = (event: RunEvent): Meaning<RunEvent> => {
      if (event.type === "answer") {
        move({ over: true })
        return { _tag: "Last", value: event }
      }
      if (event.type === "text") {
        const piece = news(event)
        return piece && { _tag: "Given", value: piece }
      }
      move(event.type === "requested" ? { last: event.id, run: event.runId } : { last: event.id })
      return { _tag: "Given", value: event }
    }

    const headers = () => (place.last === undefined ? {} : { "Last-Event-ID": place.last })
    yield* connections<RunEvent>(
      {
        call: () =>
          place.run === undefined && "asking" in source
            ? source.asking
            : { method: "GET", path: `/api/runs/${part("id", place.run ?? "")}`, headers: headers() },
        read: ({ event: name, id, data }) => {
          if (name === "end") return { _tag: "Ended", failure: ending(data) }
          try {
            const event = runEventOf(name, id, data)
            if (event !== undefined) return meaning(event)
            if (id !== "") move({ last: id })
            return undefined
          } catch {
            return { _tag: "Unreadable" }
          }
        }
      },
      this.#settings,
      { ...this.#options, idempotencyKey: this.#idempotencyKey }
    )
  }
}
