import { withoutLongPauses } from "./pause.ts"

/**
 * Bytes of one answer: a model's longest has some hundred thousand, and each token as an event of a stream some
 * hundred.
 */
const longest = 16 * 1024 * 1024
/** Milliseconds without a byte after which nothing more is awaited. */
const silence = 60_000

/** The model's API said more than a model can. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge"
}

/** The model's API has said nothing for too long. */
export class Silent extends Error {
  override readonly name = "Silent"
}

/**
 * `fetch` that breaks off an answer which is larger than `most` bytes, too large to be a model's, and one of which no
 * byte has come for `patience` milliseconds: a model that is at work streams. Of an answer that wants to be asked for
 * again after a longer pause than can be waited for, it says that it is not to be asked for again.
 */
export const boundedFetch =
  (patience = silence, most = longest): typeof fetch =>
  async (input, init) => {
    const quiet = new AbortController()
    const failed = Promise.withResolvers<never>()
    /** What is told of the end that this comes to: first whoever waits for the head, then who reads. */
    let fail: (reason: unknown) => void = failed.reject
    const end = (reason: unknown) => {
      over()
      // that it was given up says more than that it was aborted
      fail(reason)
      quiet.abort(reason)
    }
    const giveUp = () => end(new Silent("no byte came for too long"))
    const leave = () => end(init?.signal?.reason)
    let timer = setTimeout(giveUp, patience)
    const heard = () => {
      clearTimeout(timer)
      timer = setTimeout(giveUp, patience)
    }
    const over = () => {
      clearTimeout(timer)
      init?.signal?.removeEventListener("abort", leave)
    }
    init?.signal?.addEventListener("abort", leave)
    if (init?.signal?.aborted) leave()
    try {
      // told by ourselves: on Deno (2.9) an aborted signal reaches no body once the garbage of its request is collected
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

/** The same bytes, of which each is `heard`, up to so many; `ending` is given what ends them with a failure. */
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
