import { computed, signal } from "@preact/signals"
import {
  AuthenticationError,
  PermissionDeniedError,
  type RecordedEvent,
  ValidationError
} from "../../../clients/typescript/src/index.ts"
import { lookAgain, may, type Session, session } from "../session.ts"
import { pauseBefore, pauseFor } from "./pause.ts"

/**
 * The state of the source. `off`: nobody listens, or the key may not read the log. `cut`: it is tried again by itself.
 */
export type Standing =
  | { readonly is: "off" | "connecting" | "live" }
  | { readonly is: "cut"; readonly since: number; readonly why: string }

/** How many events, the newest ones, are kept. */
const kept = 100

const current = signal<Standing>({ is: "off" })
const heard = signal<ReadonlyArray<RecordedEvent>>([])

/** Whether the page is updated by itself. */
export const standing = computed(() => current.value)
/** The newest events, the newest first. New ones are added as they come. */
export const newest = computed(() => heard.value)

type Hear = (event: RecordedEvent) => void

/** Hears each event as it comes; `missed`: some may have come of which nothing was told. */
interface Listener {
  readonly hear: Hear
  readonly missed: () => void
}

/** Events that came and are not shown yet: what comes together is told together, and shown by one frame. */
let untold: Array<RecordedEvent> = []

/** Tells a listener of something. One that fails does not keep it from the others. */
const letHear = (tell: () => void): void => {
  try {
    tell()
  } catch (error) {
    reportError(error)
  }
}

const tellAll = (): void => {
  const known = new Set(heard.value.map(({ eventId }) => eventId))
  const come = untold.filter(({ eventId }) => !known.has(eventId))
  untold = []
  heard.value = [...come.toReversed(), ...heard.value].slice(0, kept)
  for (const event of come) for (const { hear } of listeners) letHear(() => hear(event))
}

const listeners = new Set<Listener>()
let stop: (() => void) | undefined
/** Ends the pause before the next try. */
let wake: (() => void) | undefined

const cut = (error: unknown): void => {
  const since = current.value.is === "cut" ? current.value.since : Date.now()
  current.value = { is: "cut", since, why: error instanceof Error ? error.message : String(error) }
}

const pause = (milliseconds: number, ended: AbortSignal): Promise<void> => {
  const { over, end } = pauseFor(milliseconds, ended)
  wake = end
  return over
}

/** The tab's only connection: the newest events first, then each as it comes, while anybody listens. */
const follow = async ({ cairn }: Session, ended: AbortController): Promise<void> => {
  const { signal: over } = ended
  /** For the present connection: one that the browser knows to be lost is given up at once. */
  let connection = new AbortController()
  const lost = () => connection.abort(new Error("This computer is offline."))
  window.addEventListener("offline", lost)
  over.addEventListener("abort", () => connection.abort(over.reason))
  const told = cairn.withOptions({
    maxRetries: 0,
    fetch: async (url, init) => {
      const response = await globalThis.fetch(url, init)
      if (response.ok && url.includes("/api/events/stream")) current.value = { is: "live" }
      return response
    }
  })
  let after: string | undefined
  /** Whether something may have come before the position that is asked for next. */
  let isMissing = false
  let tries = 0
  const tell = (event: RecordedEvent) => {
    after = event.position
    tries = 0
    if (untold.push(event) === 1) setTimeout(tellAll)
  }
  while (!over.aborted) {
    connection = new AbortController()
    const { signal } = connection
    try {
      if (after === undefined) {
        const { events, nextAfter } = await told.system.newestEvents({ limit: kept / 2 }, { signal })
        heard.value = [...events].reverse()
        after = nextAfter
        // what the pages show was loaded before this position
        if (isMissing) for (const { missed } of listeners) letHear(missed)
        isMissing = false
      }
      for await (const event of told.system.eventStream({ after }, { signal })) tell(event)
    } catch (error) {
      if (over.aborted) break
      if (error instanceof PermissionDeniedError || error instanceof AuthenticationError) {
        // the key may be gone, or may do less than before: only the first ends the session
        await lookAgain()
        if (over.aborted) break
        if (!may("events.eventStream")) {
          stop?.()
          break
        }
      }
      // a service that was restored from a backup may not have this position
      if (error instanceof ValidationError) after = undefined
      if (after === undefined) isMissing = true
      cut(error)
      await pause(pauseBefore(tries++), over)
    }
  }
  window.removeEventListener("offline", lost)
}

const begin = (): void => {
  const open = session.value
  if (!open?.may("events.eventStream")) return
  const ended = new AbortController()
  stop = () => {
    ended.abort(new Error("Nobody listens any more."))
    stop = undefined
    untold = []
    heard.value = []
    current.value = { is: "off" }
  }
  current.value = { is: "connecting" }
  void follow(open, ended)
}

/**
 * Hears each event from now on; `missed` is called when some may have come of which nothing was told. Gives a function
 * that ends it; the last listener to leave ends the connection.
 */
export const listen = (hear: Hear, missed: () => void): (() => void) => {
  const listener: Listener = { hear, missed }
  listeners.add(listener)
  if (stop === undefined) begin()
  return () => {
    listeners.delete(listener)
    // a reader who goes from page to page leaves and comes back at once
    setTimeout(() => listeners.size === 0 && stop?.(), 1_000)
  }
}

/** Calls when there is a connection again after it was lost. Gives a function that ends it. */
export const whenBack = (back: () => void): (() => void) => {
  let before = current.value.is
  const end = current.subscribe(({ is }) => {
    const isBack = before === "cut" && is === "live"
    before = is
    if (isBack) back()
  })
  window.addEventListener("online", back)
  return () => {
    end()
    window.removeEventListener("online", back)
  }
}

/** Tries at once, without the pause. */
export const tryNow = (): void => wake?.()

// whoever signs in next gets only their own events
session.subscribe((open) => {
  if (!open) stop?.()
})
