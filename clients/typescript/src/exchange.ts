import type { Answered } from "./APIPromise.ts"
import type { Clock } from "./clock.ts"
import type { Fetch } from "./options.ts"

/**
 * Node's `fetch` gives a request up whose answer has not begun after this many milliseconds, and can't be told
 * otherwise without a library of its own. A little less, since its timers are coarse.
 */
const patienceOfNode = 295_000

const isPatienceOfNode = (error: unknown, waited: number): boolean => {
  const cause = error instanceof Error ? (error.cause as { readonly code?: unknown } | undefined) : undefined
  return cause?.code === "UND_ERR_HEADERS_TIMEOUT" && waited >= patienceOfNode
}

/**
 * A request and its answer, read to its end. Where Node gives up before `init.signal` says so, the same request is sent
 * again, by the same idempotency key: it joins what is under way.
 */
export const exchange = async (
  fetch: Fetch,
  clock: Clock,
  url: string,
  init: RequestInit,
  as: "json" | "bytes"
): Promise<Answered> => {
  for (;;) {
    const begun = clock.now()
    try {
      const response = await fetch(url, init)
      const whole = as === "bytes" && response.ok
      return { response, body: whole ? new Uint8Array(await response.arrayBuffer()) : await response.text() }
    } catch (error) {
      if (init.signal?.aborted || !isPatienceOfNode(error, clock.now() - begun)) throw error
    }
  }
}
