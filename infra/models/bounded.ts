import { withoutLongPauses } from "./pause.ts"

/**
 * Bytes of one answer. A model's longest has some hundred thousand, and in a stream each token is an event of some
 * hundred.
 */
const longest = 16 * 1024 * 1024
/** Milliseconds without a byte after which an answer is given up. */
const silence = 60_000
/** Milliseconds after which an answer is given up, however much of it has come: its model may drip for ever. */
const whole = 600_000

/** The model's API said more than a model can. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge"
}

/** The model's API has said nothing for too long. */
export class Silent extends Error {
  override readonly name = "Silent"
}

/** The model's API has not ended its answer in time. */
export class Late extends Error {
  override readonly name = "Late"
}

/**
 * `fetch` that gives up an answer of more than `most` bytes, too many for a model, one of which no byte comes for
 * `patience` milliseconds (a model that is at work streams), or one that has not ended, head and body, within
 * `deadline` milliseconds: bytes that say nothing, such as a stream's pings, count as bytes. If the server asks for a
 * pause that is too long to wait for, the headers of its answer tell the client not to try again.
 */
export const boundedFetch =
  (patience = silence, most = longest, deadline = whole): typeof fetch =>
  async (input, init) => {
    const quiet = new AbortController()
    const failed = Promise.withResolvers<never>()
    /** Tells of a failure: first to the caller that waits for the head, then to the reader of the body. */
    let fail: (reason: unknown) => void = failed.reject
    const end = (reason: unknown) => {
      over()
      // first, because the reason says more than that it was aborted
      fail(reason)
      quiet.abort(reason)
    }
    const giveUp = () => end(new Silent("no byte came for too long"))
    const leave = () => end(init?.signal?.reason)
    let timer = setTimeout(giveUp, patience)
    const late = setTimeout(() => end(new Late("the answer did not end in time")), deadline)
    const heard = () => {
      clearTimeout(timer)
      timer = setTimeout(giveUp, patience)
    }
    const over = () => {
      clearTimeout(timer)
      clearTimeout(late)
      init?.signal?.removeEventListener("abort", leave)
    }
    init?.signal?.addEventListener("abort", leave)
    if (init?.signal?.aborted) leave()
    try {
      // raced here: on Deno (2.9), an aborted signal does not reach a body once its request has been garbage-collected
      const response = await Promise.race([fetch(input, { ...init, signal: quiet.signal }), failed.promise])
      if (response.body === null) {
        over()
        return response
      }
      heard()
      const { status, statusText } = response
      const headers = withoutLongPauses(response.headers)
      const body = counted(response.body, most, heard, over, (told) => (fail = told))
      return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", { value: response.url })
    } catch (error) {
      over()
      throw error
    }
  }

/**
 * `boundedFetch` for an SDK that gives an attempt `timeout` milliseconds. Its own timer, which knows what to try again,
 * does not look at the body of a stream; ours does, and comes a second later, so that it is never the first of the two.
 */
export const fetchWithin = (timeout: number, patience?: number): typeof fetch =>
  boundedFetch(patience, undefined, timeout + 1_000)

/** The same bytes, up to `most`. Calls `heard` for each chunk; `ending` gets what ends them with a failure. */
const counted = (
  body: ReadableStream<Uint8Array>,
  most: number,
  heard: () => void,
  over: () => void,
  ending: (fail: (reason: unknown) => void) => void
) => {
  const reader = body.getReader()
  let size = 0
  const leave = (reason: unknown) => reader.cancel(reason).catch(() => undefined)
  return new ReadableStream<Uint8Array>({
    start: (controller) =>
      ending((reason) => {
        controller.error(reason)
        void leave(reason)
      }),
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read()
        if (done) {
          over()
          return controller.close()
        }
        heard()
        size += value.length
        if (size > most) throw new AnswerTooLarge("the answer is too large")
        controller.enqueue(value)
      } catch (error) {
        over()
        controller.error(error)
        await leave(error)
      }
    },
    cancel: (reason) => {
      over()
      return reader.cancel(reason)
    }
  })
}
