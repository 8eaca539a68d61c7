import { AuthenticationError } from "../errors.ts"
import { type Failure, unanswered } from "../failure.ts"
import type { RequestOptions, Settings } from "../options.ts"
import { type EventsParams, type EventWire, eventOf, type RecordedEvent } from "../resources/events.ts"
import { connections, lasting } from "./connections.ts"

/** Which events are streamed. */
export interface EventStreamParams extends Pick<EventsParams, "type" | "stream" | "after"> {}

const readEvent = (data: string): RecordedEvent | undefined => {
  try {
    return eventOf(JSON.parse(data) as EventWire)
  } catch {
    return undefined
  }
}

/** What the service's last message says: why nothing more comes over this connection. */
export const ending = (data: string): Failure => {
  const { reason, message } = JSON.parse(data) as { readonly reason: string; readonly message: string }
  return reason === "revoked"
    ? lasting(new AuthenticationError(message, { code: "auth/invalid_api_key" }))
    : unanswered(message)
}

/**
 * The events of the organization as they come, for as long as they are taken: first those that are in the log already,
 * then each new one within moments. When the connection is cut it is made again, behind the last event: none is left
 * out, none comes twice. Ends with `break`, or with the reason of the call's `signal`; by itself it never does.
 *
 * Iterated again, it begins again behind `after`, or with the log: to go on, ask for those behind the `position` of the
 * last event that you have.
 */
export class EventStream implements AsyncIterable<RecordedEvent> {
  readonly #settings: Settings
  readonly #params: EventStreamParams
  readonly #options: RequestOptions

  /** @internal */
  constructor(settings: Settings, params: EventStreamParams, options: RequestOptions = {}) {
    this.#settings = settings
    this.#params = params
    this.#options = options
  }

  /**
   * The events, one after the other.
   * @throws {@link AuthenticationError}: The key was revoked, or may not do this any more.
   * @throws {@link CacheUnavailableError}: So many connections in a row brought nothing as `maxRetries` allows.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<RecordedEvent, void, undefined> {
    const { type, stream } = this.#params
    let { after } = this.#params
    yield* connections<RecordedEvent>(
      {
        call: () => ({ method: "GET", path: "/api/events/stream", query: { type, stream, after } }),
        read: ({ event: name, data }) => {
          if (name === "end") return { _tag: "Ended", failure: ending(data) }
          const event = readEvent(data)
          if (event === undefined) return { _tag: "Unreadable" }
          after = event.position
          return { _tag: "Given", value: event }
        }
      },
      this.#settings,
      this.#options
    )
  }
}
