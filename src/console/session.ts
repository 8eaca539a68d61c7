import { computed, signal } from "@preact/signals"
import { type Access, AuthenticationError, Cairn, PermissionDeniedError } from "../../clients/typescript/src/index.ts"
import { pauseBefore, pauseFor } from "./live/pause.ts"

/** The reader's session. Its key is kept in memory, and in the tab's own storage if its holder asked for that. */
export interface Session {
  readonly cairn: Cairn
  readonly key: string
  /** Whose the key is, and its bounds. */
  readonly access: Access
  /** Whether the key may do an operation of the API. */
  readonly may: (operation: string) => boolean
  /** Whether the tab keeps it until it is closed. */
  readonly kept: boolean
}

const place = "cairn.key"

/** `undefined`: a kept key is being tried. */
const current = signal<Session | null | undefined>(null)
export const session = computed(() => current.value)

/** Whether the key may do an operation of the API. */
export const may = (operation: string): boolean => current.value?.may(operation) ?? false

/** Whether the key may change what is stored. */
export const mayWrite = computed(() => may("snippets.vote"))

/** Why nobody is signed in any more, if there is something to say. */
export const parting = signal("")

// a page without TLS, from another machine, has no such function, and each write needs an id of its own
if (globalThis.crypto.randomUUID === undefined) {
  const random = (): `${string}-${string}-${string}-${string}-${string}` => {
    const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16))
    bytes[6] = (bytes[6]! & 0x0f) | 0x40
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5") as ReturnType<typeof random>
  }
  Object.defineProperty(globalThis.crypto, "randomUUID", { value: random })
}

const storage = (): Storage | undefined => {
  try {
    return window.sessionStorage
  } catch {
    // the browser is set to keep nothing
    return undefined
  }
}

/**
 * A client that speaks for a key, and ends the key's session when the service no longer knows it. Another session,
 * which may have begun before an answer comes, goes on.
 */
const speakingFor = (key: string): Cairn => {
  const cairn: Cairn = new Cairn({
    apiKey: key,
    baseUrl: window.location.origin,
    maxRetries: 1,
    logLevel: "off",
    fetch: async (url, init) => {
      const response = await globalThis.fetch(url, init)
      if (response.status === 401 && current.value?.cairn === cairn)
        signOut("This key is no longer valid: it was revoked or has expired.")
      return response
    }
  })
  return cairn
}

const opened = async (cairn: Cairn, key: string, kept: boolean): Promise<Session> => {
  const access = await cairn.system.access()
  const operations = new Set(access.operations)
  return { cairn, key, access, may: (operation) => operations.has(operation), kept }
}

/** Forgets the key, in memory and in the tab's storage; `why` is shown where another key is asked for. */
export const signOut = (why = ""): void => {
  storage()?.removeItem(place)
  parting.value = why
  current.value = null
}

const tried = (key: string, keep: boolean): Promise<Session> => opened(speakingFor(key), key, keep)

const enter = (open: Session): void => {
  if (open.kept) storage()?.setItem(place, open.key)
  else storage()?.removeItem(place)
  parting.value = ""
  current.value = open
}

/** Signs in with a key. Fails as any call does. */
export const signIn = async (key: string, keep: boolean): Promise<void> => enter(await tried(key, keep))

/** Signs in with the code of the link that the service has printed. Fails as any call does. */
export const signInByLink = async (code: string, keep: boolean): Promise<void> => {
  // without retries, because the code works once
  const cairn = new Cairn({ baseUrl: window.location.origin, maxRetries: 0, logLevel: "off" })
  await signIn((await cairn.system.signIn(code)).key, keep)
}

/** Why the kept key could not be tried yet; "": it is on its way. */
export const resuming = signal("")
let tryNow = (): void => {}

/** Tries the kept key at once, without the pause. */
export const resumeNow = (): void => tryNow()

/** Signs in with the key that this tab has kept, as soon as the service answers. */
export const resume = async (): Promise<void> => {
  const key = storage()?.getItem(place)
  if (!key) return
  current.value = undefined
  const left = new AbortController()
  current.subscribe((open) => open !== undefined && left.abort())
  for (let tries = 0; !left.signal.aborted; tries++) {
    try {
      const open = await tried(key, true)
      // its holder may have signed out meanwhile
      if (!left.signal.aborted) enter(open)
      return
    } catch (error) {
      if (left.signal.aborted) return
      if (isEnd(error)) return signOut("The key kept in this tab is no longer valid.")
      resuming.value = error instanceof Error ? error.message : String(error)
    }
    const { over, end } = pauseFor(pauseBefore(tries), left.signal)
    tryNow = end
    await over
  }
}

const isEnd = (error: unknown): boolean => error instanceof AuthenticationError

/** Asks again what the key may do: its role or its bounds may have changed, or it is no longer valid. */
export const lookAgain = async (): Promise<void> => {
  const open = current.value
  if (!open) return
  try {
    const now = await opened(open.cairn, open.key, open.kept)
    if (current.value?.cairn === open.cairn) current.value = now
  } catch {
    // what was known before stays
  }
}

/**
 * What a failed call says. If the key was refused something, it is asked again what it may do. That is so, too, where a
 * stream ended: its last message is the same for a key that is no longer valid and for one that may do less.
 */
export const failure = (error: unknown): string => {
  if (error instanceof PermissionDeniedError || isEnd(error)) void lookAgain()
  return error instanceof Error ? error.message : String(error)
}
