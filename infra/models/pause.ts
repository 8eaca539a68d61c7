/** Milliseconds that a pause may take for which a request is asked again: a chat waits for it, and says nothing. */
const longest = 60_000

const milliseconds = (text: string | null): number | undefined => {
  const number = Number.parseFloat(text ?? "")
  return Number.isNaN(number) ? undefined : number
}

/**
 * Milliseconds after which a server wants to be asked again, as it says in an answer's head: in milliseconds, in
 * seconds, or at a time; `undefined`: it says nothing.
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
 * The same head, of which a client asks again only after a pause that can be waited for. One of the SDKs asks sooner
 * than it is told to where that is longer than a minute, and the other waits for it, be it a day.
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
