import type { RequestOptions, Settings } from "../options.ts"
import { type Call, part } from "../request.ts"
import { type RunEvent, type RunText, runEventOf } from "../resources/runEvents.ts"
import { connections, type Meaning } from "./connections.ts"
import { ending } from "./EventStream.ts"

/** How a run is come by: it is asked for, or it is there. */
export type RunSource =
  | { readonly asking: Omit<Call<never>, "answer" | "timeout"> }
  | { readonly run: string; readonly after: string | undefined }

/**
 * A run as it goes on, up to its answer: steps, and in between what the model says. When the connection is cut it is
 * made again, behind the last step: none is left out, none comes twice. Ends behind the answer, with `break`, or with
 * the reason of the call's `signal`; none of these stops the run.
 */
export class RunStream implements AsyncIterable<RunEvent> {
  readonly #settings: Settings
  readonly #source: () => RunSource
  readonly #options: RequestOptions

  /** @internal */
  constructor(settings: Settings, source: () => RunSource, options: RequestOptions = {}) {
    this.#settings = settings
    this.#source = source
    this.#options = options
  }

  /**
   * The events, one after the other.
   * @throws {@link APIError}: 404 `not_found/run`: also when its workspace is erased meanwhile.
   * @throws {@link AuthenticationError}: The key was revoked.
   * @throws {@link CacheUnavailableError}: So many connections in a row brought nothing as `maxRetries` allows.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    const source = this.#source()
    let run = "run" in source ? source.run : undefined
    let last = "run" in source ? source.after : undefined
    // asked for again, it is the same run
    const idempotencyKey = this.#options.idempotencyKey ?? globalThis.crypto.randomUUID()
    let heard: Pick<RunText, "turn" | "text"> = { turn: 0, text: "" }

    /** What of a piece was not given yet: over a new connection a turn is said from its beginning. */
    const news = (piece: RunText): RunText | undefined => {
      const before = heard.turn === piece.turn && piece.offset === 0 ? heard.text : ""
      if (before !== "" && piece.text.startsWith(before)) {
        heard = piece
        const text = piece.text.slice(before.length)
        return text === "" ? undefined : { ...piece, offset: before.length, text }
      }
      heard = piece.offset === 0 ? piece : { turn: piece.turn, text: heard.text + piece.text }
      return piece
    }

    const meaning = (event: RunEvent): Meaning<RunEvent> => {
      if (event.type === "answer") return { _tag: "Last", value: event }
      if (event.type === "text") {
        const piece = news(event)
        return piece && { _tag: "Given", value: piece }
      }
      last = event.id
      if (event.type === "requested") run = event.runId
      return { _tag: "Given", value: event }
    }

    const headers = () => (last === undefined ? {} : { "Last-Event-ID": last })
    yield* connections<RunEvent>(
      {
        call: () =>
          run === undefined && "asking" in source
            ? source.asking
            : { method: "GET", path: `/api/runs/${part("id", run ?? "")}`, headers: headers() },
        read: ({ event: name, id, data }) => {
          if (name === "end") return { _tag: "Ended", failure: ending(data) }
          try {
            const event = runEventOf(name, id, data)
            if (event !== undefined) return meaning(event)
            if (id !== "") last = id
            return undefined
          } catch {
            return { _tag: "Unreadable" }
          }
        }
      },
      this.#settings,
      { ...this.#options, ...("asking" in source ? { idempotencyKey } : {}) }
    )
  }
}
