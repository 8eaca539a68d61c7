/** Bytes of one answer: a model's longest has some hundred thousand, and each token as an event of a stream some hundred. */
const most = 16 * 1024 * 1024
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
 * `fetch` that breaks off an answer which is too large to be a model's, and one of which no byte has come for `patience`
 * milliseconds: a model that is at work streams.
 */
export const boundedFetch =
  (patience = silence): typeof fetch =>
  async (input, init) => {
    const quiet = new AbortController()
    const giveUp = () => quiet.abort(new Silent("no byte came for too long"))
    let timer = setTimeout(giveUp, patience)
    const heard = () => {
      clearTimeout(timer)
      timer = setTimeout(giveUp, patience)
    }
    const signal = init?.signal ? AbortSignal.any([init.signal, quiet.signal]) : quiet.signal
    try {
      const response = await fetch(input, { ...init, signal })
      if (response.body === null) {
        clearTimeout(timer)
        return response
      }
      heard()
      const { status, statusText, headers } = response
      const body = counted(response.body, heard, () => clearTimeout(timer))
      return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", { value: response.url })
    } catch (error) {
      clearTimeout(timer)
      // that it was given up says more than that it was aborted
      throw quiet.signal.aborted ? quiet.signal.reason : error
    }
  }

const counted = (body: ReadableStream<Uint8Array>, heard: () => void, ended: () => void) => {
  const reader = body.getReader()
  let size = 0
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read()
        if (done) {
          ended()
          return controller.close()
        }
        heard()
        size += value.length
        if (size > most) throw new AnswerTooLarge("the answer is too large")
        controller.enqueue(value)
      } catch (error) {
        ended()
        controller.error(error)
        await reader.cancel(error).catch(() => undefined)
      }
    },
    cancel: (reason) => {
      ended()
      return reader.cancel(reason)
    }
  })
}
