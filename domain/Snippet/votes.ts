import { HashMap, Option } from "effect"
import { derivedId } from "#engine/derivedId.ts"
import { tenantOf } from "../search/votesForTasks.ts"
import { subjectOf } from "./events.ts"

/** What voters of another tenant than the snippet's have typed. */
interface Typed {
  /** How often it was erased. */
  readonly erasures: number
  /** Whether something was typed since. */
  readonly isThere: boolean
}

/** Of a snippet, by what the subjects of a tenant begin with. */
export type TypedByOthers = HashMap.HashMap<string, Typed>

/** The tenant's id stands in no subject: whose snippet it is sees these, and is not told who voted. */
const beginningOf = (snippet: string, tenant: string) =>
  `${subjectOf(snippet)}/votes/${derivedId("voters", snippet, tenant)}`

/** One who was erased and comes again begins a new subject: the old one takes no text any more. */
const subjectAfter = (beginning: string, erasures: number) => (erasures === 0 ? beginning : `${beginning}.${erasures}`)

const theirs = (typed: TypedByOthers, beginning: string): Typed =>
  Option.getOrElse(HashMap.get(typed, beginning), () => ({ erasures: 0, isThere: false }))

/** Whose text is what is typed with a vote: that of the snippet, or of voters from another tenant, all theirs. */
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

/** The subject of what a tenant's voters have typed, if there is something. */
export const typedBy = (snippet: string, tenant: string, typed: TypedByOthers): ReadonlyArray<string> => {
  const beginning = beginningOf(snippet, tenant)
  const { erasures, isThere } = theirs(typed, beginning)
  return isThere ? [subjectAfter(beginning, erasures)] : []
}

/** Subjects that one command erases at most: an append of KurrentDB before 25.1 takes a MiB of events. */
const mostAtOnce = 500

/** The first subjects of what others have typed, in their order, as many as one command erases. */
export const typedByOthers = (typed: TypedByOthers): ReadonlyArray<string> =>
  [...typed]
    .flatMap(([beginning, { erasures, isThere }]) => (isThere ? [subjectAfter(beginning, erasures)] : []))
    .sort()
    .slice(0, mostAtOnce)

/** What of it is there. */
export const stillTyped = (typed: TypedByOthers): TypedByOthers => HashMap.filter(typed, ({ isThere }) => isThere)

/** Whether it is a subject of voters from another tenant: the same one for all votes of one tenant on a snippet. */
export const isOfVoters = (subject: string): boolean => /^snippet\/[^/]+\/votes\//.test(subject)

const beginningIn = (subject: string): string => subject.split(".")[0]!

/** A vote whose text has this subject, which may be the snippet's own. */
export const withVote = (typed: TypedByOthers, subject: string): TypedByOthers => {
  if (!isOfVoters(subject)) return typed
  const beginning = beginningIn(subject)
  return HashMap.set(typed, beginning, { ...theirs(typed, beginning), isThere: true })
}

/** Without what has this subject. */
export const withoutVotes = (typed: TypedByOthers, subject: string): TypedByOthers => {
  const beginning = beginningIn(subject)
  return HashMap.set(typed, beginning, { erasures: theirs(typed, beginning).erasures + 1, isThere: false })
}
