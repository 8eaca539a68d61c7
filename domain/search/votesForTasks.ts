import type { VoteSource } from "../Snippet/events.ts"
import { beginningOf } from "../text/beginningOf.ts"
import { type TaskRead, type TaskVote, voteWeights } from "./learned.ts"

/** A voter's last word on a snippet for a task. */
export interface SaidOfTask {
  readonly task: string
  readonly value: 1 | -1
  readonly source: VoteSource
  /** Of the vote, in the log. */
  readonly position: number
}

/** Tasks of one voter and snippet that are kept, the latest, and characters of each. */
const tasksKept = 8
const longestTask = 1_000

/** A task as votes for it are kept: cut, and without what makes no difference. */
export const votedTask = (task: string): string => beginningOf(task.trim().replace(/\s+/g, " "), longestTask)

/** What a voter said so far, and a vote more: the last for a task counts, and of the tasks the latest. */
export const latestVotes = (before: ReadonlyArray<SaidOfTask>, vote: SaidOfTask): ReadonlyArray<SaidOfTask> => {
  const task = votedTask(vote.task)
  return [...before.filter((one) => one.task !== task), { ...vote, task }].slice(-tasksKept)
}

/** The tenant whose home it is. */
export const tenantOf = (home: string): string => home.split("/")[0]!

/** Who votes in a home: a person of its tenant. */
export const voterOf = (home: string, user: string): string => `${tenantOf(home)}/${user}`

const userOf = (voter: string): string => voter.slice(voter.indexOf("/") + 1)

/** A vote for a task, by whomever, as it was given. */
export interface GivenVote {
  readonly snippet: string
  /** Where it was given. */
  readonly home: string
  /** `tenant/user` */
  readonly voter: string
  readonly said: SaidOfTask
  /** The task is not the vote's own, but that of a search before it. */
  readonly recalled: boolean
}

/** Whose a snippet is, and whether everyone sees it. */
export interface Owned {
  readonly tenant: string
  readonly authors: ReadonlyArray<string>
  readonly published: boolean
}

/** What a vote weighs by who gave it, 0…1. */
export const weightOf = ({ voter, said, recalled }: GivenVote, { authors }: Owned): number =>
  (authors.includes(userOf(voter)) ? voteWeights.own : voteWeights[said.source]) * (recalled ? voteWeights.recalled : 1)

/** The vote as it counts for searches of the home where it was given: with its task, and each voter for one. */
export const atHome = (given: GivenVote, owned: Owned, read: TaskRead): TaskVote => ({
  ...read,
  snippet: given.snippet,
  value: given.said.value,
  weight: weightOf(given, owned),
  bloc: given.voter,
  task: given.said.task
})

/**
 * The vote as it counts for searches of all other homes that ask for what is public; `undefined`: it does not. It has
 * to be a stranger's, who had asked for what is public, on a snippet that is public still: what its own tenant asks is
 * nobody else's matter. All of one tenant count for one, and what they asked is not told.
 */
export const amongStrangers = (given: GivenVote, owned: Owned, read: TaskRead): TaskVote | undefined => {
  const tenant = tenantOf(given.home)
  if (!owned.published || tenant === owned.tenant) return undefined
  return { ...atHome(given, owned, read), bloc: tenant, task: null }
}
