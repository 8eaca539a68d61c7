import { HashMap, Option } from "effect"
import { derivedId } from "#engine/derivedId.ts"
import { tenantOf } from "../search/votesForTasks.ts"
import { subjectOf } from "./events.ts"

/** What voters of a tenant other than the snippet's have typed. */
interface Typed {
  /** How often it was erased. */
  readonly erasures: number
  /** Whether something was typed since the last erasure. */
  readonly isThere: boolean
}

/** What others typed on a snippet, by the beginning of their tenant's subjects. */
export type TypedByOthers = HashMap.HashMap<string, Typed>

/** Subjects do not contain the voters' tenant: the snippet's owner sees them, and must not learn who voted. */
const beginningOf = (snippet: string, tenant: string) =>
  `${subjectOf(snippet)}/votes/${derivedId("voters", snippet, tenant)}`

/** A tenant that votes again after an erasure gets a new subject, because an erased one takes no more text. */
const subjectAfter = (beginning: string, erasures: number) => (erasures === 0 ? beginning : `${beginning}.${erasures}`)

const theirs = (typed: TypedByOthers, beginning: string): Typed =>
  Option.getOrElse(HashMap.get(typed, beginning), () => ({ erasures: 0, isThere: false }))

/** The subject of what is typed with a vote: the snippet's or, for another tenant, one that all its voters share. */
export const subjectOfVote = (
  snippet: string,
  home: string,
  voted: string | undefined,
  typed: TypedByOthers
): string => {
  if (voted === undefined || tenantOf(voted) === tenantOf(home)) return subjectOf(snippet)
  const beginning = beginningOf(snippet, tenantOf(voted))
  return subjectAfter(beginning, theirs(typed, beginning).erasures)
}

/** The subject of what a tenant's voters have typed, if they have typed something. */
export const typedBy = (snippet: string, tenant: string, typed: TypedByOthers): ReadonlyArray<string> => {
  const beginning = beginningOf(snippet, tenant)
  const { erasures, isThere } = theirs(typed, beginning)
  return isThere ? [subjectAfter(beginning, erasures)] : []
}

/** The most subjects that one command erases: KurrentDB before 25.1 takes at most a MiB of events in one append. */
const mostAtOnce = 500

/** The subjects of what other tenants' voters have typed, in order, at most as many as one command erases. */
export const typedByOthers = (typed: TypedByOthers): ReadonlyArray<string> =>
  [...typed]
    .flatMap(([beginning, { erasures, isThere }]) => (isThere ? [subjectAfter(beginning, erasures)] : []))
    .sort()
    .slice(0, mostAtOnce)

/** The part of `typed` that is not erased. */
export const stillTyped = (typed: TypedByOthers): TypedByOthers => HashMap.filter(typed, ({ isThere }) => isThere)

/** Whether a subject is that of voters from another tenant, who share one for all their votes on a snippet. */
export const isOfVoters = (subject: string): boolean => /^snippet\/[^/]+\/votes\//.test(subject)

const beginningIn = (subject: string): string => subject.split(".")[0]!

/** `typed` with a vote of this subject, which may be the snippet's own. */
export const withVote = (typed: TypedByOthers, subject: string): TypedByOthers => {
  if (!isOfVoters(subject)) return typed
  const beginning = beginningIn(subject)
  return HashMap.set(typed, beginning, { ...theirs(typed, beginning), isThere: true })
}

/** `typed` without what has this subject. */
export const withoutVotes = (typed: TypedByOthers, subject: string): TypedByOthers => {
  const beginning = beginningIn(subject)
  return HashMap.set(typed, beginning, { erasures: theirs(typed, beginning).erasures + 1, isThere: false })
}
