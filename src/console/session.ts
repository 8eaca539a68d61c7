import { computed, signal } from "@preact/signals"
import { AuthenticationError, Cairn, PermissionDeniedError } from "../../clients/typescript/src/index.ts"

/** Who reads: by a key that is kept here, in memory, and in the tab's own storage where its holder asked for that. */
export interface Session {
  readonly cairn: Cairn
  readonly key: string
  /** Whether the key may read the log, as owners' and admins' may. */
  readonly audits: boolean
  /** Whether the tab keeps it until it is closed. */
  readonly kept: boolean
}

const place = "cairn.key"

/** `undefined`: a kept key is being tried. */
const current = signal<Session | null | undefined>(null)
export const session = computed(() => current.value)

/** Whether the key may change anything, as far as is known: one that may not is told so by the first thing that it is refused. */
export const mayWrite = signal(true)

/** Why nobody is signed in any more, where there is something to say. */
export const parting = signal("")

// outside of this machine a page without TLS has no such function, and each write needs a name of its own
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
    // the browser was told to keep nothing
    return undefined
  }
}

const mayAudit = async (cairn: Cairn): Promise<boolean> => {
  try {
    for await (const _ of cairn.system.events({ limit: 1 })) break
    return true
  } catch (error) {
    if (error instanceof PermissionDeniedError) return false
    throw error
  }
}

/** Forgets the key, here and in the tab; `why` is told to who is asked for another. */
export const signOut = (why = ""): void => {
  storage()?.removeItem(place)
  parting.value = why
  current.value = null
}

/** Opens the console with a key. Fails as any call does. */
export const signIn = async (key: string, keep: boolean): Promise<void> => {
  const cairn = new Cairn({ apiKey: key, baseUrl: window.location.origin, maxRetries: 1, logLevel: "off" })
  const audits = await mayAudit(cairn)
  if (keep) storage()?.setItem(place, key)
  else storage()?.removeItem(place)
  parting.value = ""
  mayWrite.value = true
  current.value = { cairn, key, audits, kept: keep }
}

/** Goes on with the key that this tab kept. */
export const resume = async (): Promise<void> => {
  const key = storage()?.getItem(place)
  if (!key) return
  current.value = undefined
  try {
    await signIn(key, true)
  } catch (error) {
    if (isEnd(error)) signOut("The key that this tab kept is not valid any more.")
    else {
      parting.value = error instanceof Error ? error.message : String(error)
      current.value = null
    }
  }
}

const isEnd = (error: unknown): boolean => error instanceof AuthenticationError

/** What a failed call says; a key that is not valid any more ends the session. */
export const failure = (error: unknown): string => {
  if (isEnd(error)) signOut("This key is not valid any more: it was revoked, or has expired.")
  return error instanceof Error ? error.message : String(error)
}
