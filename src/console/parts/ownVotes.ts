import { signal } from "@preact/signals"
import { isDecided } from "../decided.ts"
import { type Session, session } from "../session.ts"

/** The reader's vote on a snippet, which is for one task. */
export interface OwnVote {
  readonly id: string
  readonly task: string
  readonly succeeded: boolean
  /** How many votes of its kind the service had told of. Once it tells of others, this one is among them. */
  readonly told: number
  /** The service counts a request once: a vote whose answer was lost is sent again as the same request. */
  readonly request: string
  /** `lost`: it may have been counted. */
  readonly is: "sent" | "lost"
}

const given = signal<ReadonlyArray<OwnVote>>([])

// whoever signs in next has votes of their own
session.subscribe((open) => {
  if (!open) given.value = []
})

/** The reader's votes on a snippet since they signed in: the service does not tell whose its votes are. */
export const ownVotes = (id: string): ReadonlyArray<OwnVote> => given.value.filter((one) => one.id === id)

type Given = Pick<OwnVote, "id" | "task" | "succeeded" | "told">

/** Votes, once for a task. Fails as any call does; what got no answer may be given again, but not the opposite. */
export const giveVote = async ({ cairn }: Session, { id, task, succeeded, told }: Given): Promise<void> => {
  const before = given.value.find((one) => one.id === id && one.task === task)
  if (before !== undefined && (before.is === "sent" || before.succeeded !== succeeded)) return
  const own: OwnVote = { request: crypto.randomUUID(), id, task, succeeded, told, ...before, is: "sent" }
  const becomes = (...now: ReadonlyArray<OwnVote>) => {
    given.value = [...given.value.filter(({ request }) => request !== own.request), ...now]
  }
  becomes(own)
  try {
    await cairn.snippets.vote({ codeBlockId: id, succeeded, task }, { idempotencyKey: own.request })
  } catch (error) {
    // after a sign-out it is nobody's
    if (given.value.includes(own)) {
      if (isDecided(error)) becomes()
      else becomes({ ...own, is: "lost" })
    }
    throw error
  }
}
