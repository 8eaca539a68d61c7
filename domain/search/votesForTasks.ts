import type { VoteSource } from "../Snippet/events.ts"
import { beginningOf } from "../text/beginningOf.ts"
import { type TaskRead, type TaskVote, voteWeights } from "./learned.ts"

/** A voter's last vote on a snippet for a task. */
export interface SaidOfTask {
  readonly task: string
  readonly value: 1 | -1
  readonly source: VoteSource
  /** The vote's position in the log. */
  readonly position: number
}

/** How many tasks are kept of one voter and snippet, the latest ones, and how many characters of each. */
const tasksKept = 8
const longestTask = 1_000

/** A task as it is kept with its votes: cut, and with single spaces. */
export const votedTask = (task: string): string => beginningOf(task.trim().replace(/\s+/g, " "), longestTask)

/** What a voter has said so far, with one more vote. The last vote for a task counts, and the latest tasks are kept. */
export const latestVotes = (before: ReadonlyArray<SaidOfTask>, vote: SaidOfTask): ReadonlyArray<SaidOfTask> => {
  const task = votedTask(vote.task)
  return [...before.filter((one) => one.task !== task), { ...vote, task }].slice(-tasksKept)
}

/** The tenant of a home. */
export const tenantOf = (home: string): string => home.split("/")[0]!

/** Who votes in a home: a person of its tenant, as `tenant/user`. */
export const voterOf = (home: string, user: string): string => `${tenantOf(home)}/${user}`

const userOf = (voter: string): string => voter.slice(voter.indexOf("/") + 1)

/** A vote for a task as it was given, whoever gave it. */
export interface GivenVote {
  readonly snippet: string
  /** The home where it was given. */
  readonly home: string
  /** `tenant/user` */
  readonly voter: string
  readonly said: SaidOfTask
  /** Whether the task is that of a search before the vote, and not the vote's own. */
  readonly recalled: boolean
}

/** Who owns a snippet, and whether everyone sees it. */
export interface Owned {
  readonly tenant: string
  readonly authors: ReadonlyArray<string>
  readonly published: boolean
}

/** What a vote weighs by who gave it, 0…1. */
export const weightOf = ({ voter, said, recalled }: GivenVote, { authors }: Owned): number =>
  (authors.includes(userOf(voter)) ? voteWeights.own : voteWeights[said.source]) * (recalled ? voteWeights.recalled : 1)

/** The vote as it counts for searches of the home where it was given: with its task, and a bloc for each voter. */
export const atHome = (given: GivenVote, owned: Owned, read: TaskRead): TaskVote => ({
  ...read,
  snippet: given.snippet,
  value: given.said.value,
  weight: weightOf(given, owned),
  bloc: given.voter,
  task: given.said.task
})

/**
 * The vote as it counts for searches of all other homes that ask for public snippets; `undefined` if it does not. It
 * must be of a stranger, who had asked for public snippets, on a snippet that is still public: what the snippet's own
 * tenant asks is nobody else's business. All voters of one tenant are one bloc, and their task is not shown.
 */
export const amongStrangers = (given: GivenVote, owned: Owned, read: TaskRead): TaskVote | undefined => {
  const tenant = tenantOf(given.home)
  if (!owned.published || tenant === owned.tenant) return undefined
  return { ...atHome(given, owned, read), bloc: tenant, task: null }
}
