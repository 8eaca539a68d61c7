/** The longest pause, in milliseconds, after which a request is tried again: a chat waits for it in silence. */
const longest = 60_000

const milliseconds = (text: string | null): number | undefined => {
  const number = Number.parseFloat(text ?? "")
  return Number.isNaN(number) ? undefined : number
}

/**
 * Milliseconds after which a server wants to be asked again, by the headers of its answer, which give milliseconds,
 * seconds or a date; `undefined`: they give none.
 */
export const pauseIn = (headers: Headers, now: number): number | undefined => {
  const exactly = milliseconds(headers.get("retry-after-ms"))
  if (exactly !== undefined) return exactly
  const after = headers.get("retry-after")
  const seconds = milliseconds(after)
  if (seconds !== undefined) return seconds * 1000
  const at = Date.parse(after ?? "")
  return Number.isNaN(at) ? undefined : at - now
}

/**
 * The same headers, which tell a client not to try again if the pause is longer than `longest`. By itself, one of the
 * SDKs tries again too soon when the pause is more than a minute, and the other waits for it, be it a day.
 */
export const withoutLongPauses = (headers: Headers): Headers => {
  if ((pauseIn(headers, Date.now()) ?? 0) <= longest) return headers
  const told = new Headers(headers)
  told.set("x-should-retry", "false")
  return told
}

/** When to try again, for people. */
export const whenAgain = (headers: Headers | undefined): string => {
  const pause = headers === undefined ? undefined : pauseIn(headers, Date.now())
  return pause === undefined || pause <= longest ? "later" : `in ${Math.ceil(pause / 60_000)} minutes`
}
