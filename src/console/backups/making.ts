import { computed, signal } from "@preact/signals"
import { failure, session } from "../session.ts"
import { type Verified, verified } from "./verified.ts"

/** A backup that was made and checked. */
export interface Made {
  readonly is: "there"
  readonly url: string
  readonly name: string
  readonly bytes: number
  readonly what: Verified
  /** Whether its reader has downloaded it. */
  readonly isTaken: boolean
}

/** How far a backup is: being made, being checked, or ready to be saved. */
export type Step =
  | { readonly is: "none" }
  | { readonly is: "made"; readonly bytes: number }
  | { readonly is: "looked at"; readonly files: number; readonly of: number }
  | Made
  | { readonly is: "failed"; readonly message: string }

// of the tab, and not of the page: it may take minutes, in which its reader looks at something else
const current = signal<Step>({ is: "none" })
let running = new AbortController()

/** How far the tab's only backup is. */
export const step = computed(() => current.value)

const become = (next: Step): void => {
  const before = current.value
  if (before.is === "there" && (next.is !== "there" || next.url !== before.url)) URL.revokeObjectURL(before.url)
  current.value = next
}

const nameAt = (now: number): string =>
  `cairn-backup-${new Date(now).toISOString().replaceAll(":", "").slice(0, 17)}Z.tar`

const make = async (recipient: string, signal: AbortSignal): Promise<void> => {
  const name = nameAt(Date.now())
  const pieces: Array<Blob> = []
  let bytes = 0
  const given = recipient === "" ? {} : { recipient }
  for await (const piece of session.value!.cairn.system.backup(given, { signal, maxRetries: 0 })) {
    signal.throwIfAborted()
    // a browser keeps long blobs on its disk, and not in memory
    pieces.push(new Blob([piece as Uint8Array<ArrayBuffer>]))
    bytes += piece.length
    become({ is: "made", bytes })
  }
  const archive = new Blob(pieces, { type: "application/x-tar" })
  const what = await verified(archive, (files, of) => become({ is: "looked at", files, of }), signal)
  become({ is: "there", url: URL.createObjectURL(archive), name, bytes, what, isTaken: false })
}

/** Makes a backup in place of the one that is there. `recipient`: for whom it is encrypted, if not empty. */
export const begin = async (recipient: string): Promise<void> => {
  running.abort()
  running = new AbortController()
  const { signal } = running
  become({ is: "made", bytes: 0 })
  try {
    await make(recipient, signal)
  } catch (error) {
    if (!signal.aborted) become({ is: "failed", message: failure(error) })
  }
}

/** Ends the backup that is under way, and forgets one that is there. */
export const drop = (): void => {
  running.abort()
  become({ is: "none" })
}

/** Notes that the backup was downloaded. */
export const taken = (): void => {
  if (current.value.is === "there") become({ ...current.value, isTaken: true })
}

// it has the data of everybody: whoever signs in next gets only what their own key may have
session.subscribe((open) => {
  if (!open) drop()
})
