import { session } from "../session.ts"

/** When the service takes this key's requests again, as far as it has said. */
let from = 0
/** Milliseconds to wait where the service does not say how long. */
const unsaid = 30_000

/** The service has refused a request because there were too many. */
export const heedLimit = (seconds: number | null): void => {
  from = Math.max(from, performance.now() + (seconds === null ? unsaid : seconds * 1_000))
}

/** Milliseconds until the console may ask by itself again: what its reader asks for comes first. */
export const untilAllowed = (): number => Math.max(0, from - performance.now())

// which is another key's affair
session.subscribe((open) => {
  if (!open) from = 0
})
