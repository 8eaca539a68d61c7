import { signal } from "@preact/signals"
import { parting, session } from "../session.ts"

/** What was typed to ask for a chat, and not sent yet. */
export interface Draft {
  readonly task: string
  readonly user: string
  readonly org: string
  readonly model: string
  readonly memory: boolean
}

/** By what the address asks for. */
const drafts = signal<ReadonlyMap<string, Draft>>(new Map())
let writer: string | undefined

/** What was typed at an address, or what that address itself asks for. */
export const draftAt = (query: URLSearchParams): Draft =>
  drafts.value.get(query.toString()) ?? {
    task: "",
    user: query.get("user") ?? "",
    org: query.get("org") ?? "",
    model: query.get("model") ?? "local",
    memory: false
  }

/** Keeps what is typed at an address until it is sent, or its writer signs out. */
export const keepDraft = (query: URLSearchParams, draft: Draft): void => {
  drafts.value = new Map(drafts.value).set(query.toString(), draft)
}

/** Forgets what was sent. What was typed since then stays. */
export const dropDraft = (query: URLSearchParams, sent: Draft): void => {
  const place = query.toString()
  if (drafts.value.get(place) !== sent) return
  drafts.value = new Map([...drafts.value].filter(([one]) => one !== place))
}

// a session may end by itself in the midst of a task, and that is no reason to lose it; whoever signs in next sees only
// their own
session.subscribe((open) => {
  if (!open) {
    if (parting.value === "") drafts.value = new Map()
    return
  }
  if (writer !== open.access.userId) drafts.value = new Map()
  writer = open.access.userId
})
