/** Bytes of one answer: a model's longest has some hundred thousand. */
const most = 2 * 1024 * 1024

/** The model's API said more than a model can. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge"
}

/** `fetch` that breaks off an answer which is too large to be a model's: it would be parsed in one go. */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  if (response.body === null) return response
  let size = 0
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      size += chunk.length
      if (size > most) controller.error(new AnswerTooLarge("the answer is too large"))
      else controller.enqueue(chunk)
    }
  })
  const { status, statusText, headers } = response
  const body = response.body.pipeThrough(counting)
  return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", { value: response.url })
}
