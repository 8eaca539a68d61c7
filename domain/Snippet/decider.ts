import { Data, HashMap, HashSet, Result } from "effect"
import type { Decider } from "#engine/Decider.ts"
import { monthOfSubject, monthSubject } from "../Execution.ts"
import { logsSubject, monthOfLogs } from "../Printed.ts"
import { type NewVote, SnippetCommand } from "./commands.ts"
import { addComment, type CommentRefusal, deleteComment, type LiveComment } from "./comments.ts"
import { SnippetEvent, subjectOf } from "./events.ts"
import {
  stillTyped,
  subjectOfVote,
  type TypedByOthers,
  typedBy,
  typedByOthers,
  withoutVotes,
  withVote
} from "./votes.ts"

const Event = SnippetEvent.cases

/** There is no such snippet, or it was deleted. */
export class SnippetNotFound extends Data.TaggedError("SnippetNotFound")<{ readonly snippet: string }> {}
/** The code was here once and was deleted: the same code again is a new snippet, of the next generation. */
export class SnippetGone extends Data.TaggedError("SnippetGone")<{ readonly snippet: string }> {}

export interface SnippetState {
  readonly stage: "absent" | "live" | "deleted"
  /** Where it lives. */
  readonly home: string
  readonly published: boolean
  /** Whether the reputation of its functions is kept. */
  readonly tracked: boolean
  /** Gradings that are due. */
  readonly due: HashSet.HashSet<string>
  /** Comments that are not deleted, by their ids. */
  readonly comments: HashMap.HashMap<string, LiveComment>
  /** Months whose executions have a subject of their own. */
  readonly months: HashSet.HashSet<string>
  /** Months that have logs. */
  readonly logMonths: HashSet.HashSet<string>
  /** What voters of other tenants typed. */
  readonly typed: TypedByOthers
}

const cast = (
  snippet: string,
  voter: string | null,
  task: string | null,
  { value, count, source, origin, home }: NewVote,
  grading: { readonly request: string; readonly reason: string } | null = null,
  subject = subjectOf(snippet)
) =>
  Event.VoteCast.make({
    snippet,
    value,
    count,
    source,
    voter,
    ...(home === undefined ? {} : { home }),
    request: grading?.request ?? null,
    subject,
    text: { task, reason: grading?.reason ?? null, origin }
  })

type UploadSnippet = Data.TaggedEnum.Value<SnippetCommand, "UploadSnippet">

const uploaded = (upload: UploadSnippet): SnippetEvent => {
  const { snippet, home, generation, sourceDigest, origin, author, language, completeness, succeeded, text } = upload
  return Event.SnippetUploaded.make({
    snippet,
    home,
    generation,
    sourceDigest,
    origin,
    author,
    language,
    completeness,
    succeeded,
    published: upload.publish,
    ...(upload.kind === undefined ? {} : { kind: upload.kind }),
    subject: subjectOf(snippet),
    text
  })
}

const again = (
  { snippet, author, succeeded, text, publish }: UploadSnippet,
  state: SnippetState
): Array<SnippetEvent> => {
  const { path, task, dependencies, logs, agent } = text
  return [
    Event.TaskAdded.make({
      snippet,
      author,
      succeeded,
      subject: subjectOf(snippet),
      text: { path, task, dependencies, logs, agent }
    }),
    ...(publish && !state.published ? [Event.SnippetPublished.make({ snippet })] : [])
  ]
}

const printed = ({ snippet, logs, text: { task } }: UploadSnippet): Array<SnippetEvent> =>
  logs == null
    ? []
    : [
        Event.LogsRecorded.make({
          snippet,
          subject: logsSubject(snippet, logs.month),
          text: { task, logs: logs.text }
        })
      ]

const functions = (
  { snippet, home, succeeded, text, functions }: UploadSnippet,
  state: SnippetState
): Array<SnippetEvent> => {
  if (functions == null) return []
  const subject = subjectOf(snippet)
  const { found, observed } = functions
  if (!state.tracked && found === null) return []
  return [
    ...(state.tracked || found === null
      ? []
      : [Event.FunctionsTracked.make({ snippet, home, subject, text: { agent: text.agent, functions: found } })]),
    Event.FunctionsObserved.make({ snippet, succeeded, subject, text: observed })
  ]
}

const ballot = ({ snippet, author, text, vote, grading }: UploadSnippet): Array<SnippetEvent> => {
  if (vote !== null) return [cast(snippet, author, text.task, vote)]
  return grading === null ? [] : [Event.VoteRequested.make({ snippet, ...grading })]
}

/** Neither the voters nor their tasks are known here. */
const brought = ({ snippet, broughtVotes = [] }: UploadSnippet): Array<SnippetEvent> =>
  broughtVotes.map((vote) => cast(snippet, null, null, vote))

const without = (set: HashSet.HashSet<string>, member: string | null): HashSet.HashSet<string> =>
  member === null ? set : HashSet.remove(set, member)

type Refusal = SnippetNotFound | SnippetGone | CommentRefusal
type Decision = Result.Result<Array<SnippetEvent>, Refusal>

/** One snippet: one source text in one home, its tasks, runs and votes, until it is deleted. */
export const Snippet: Decider<SnippetCommand, SnippetEvent, SnippetState, Refusal> = {
  initial: {
    stage: "absent",
    home: "",
    published: false,
    tracked: false,
    due: HashSet.empty(),
    comments: HashMap.empty(),
    months: HashSet.empty(),
    logMonths: HashSet.empty(),
    typed: HashMap.empty()
  },

  decide: (command, state) => {
    if (command._tag === "UploadSnippet") {
      if (state.stage === "deleted") return Result.fail(new SnippetGone({ snippet: command.snippet }))
      const stored = state.stage === "live" ? again(command, state) : [uploaded(command), ...brought(command)]
      return Result.succeed([...stored, ...printed(command), ...functions(command, state), ...ballot(command)])
    }
    const { snippet } = command
    const erased = (subjects: ReadonlyArray<string>) =>
      subjects.map((subject) => Event.VotesErased.make({ snippet, subject }))
    if (state.stage === "deleted" && command._tag === "EraseVotes") {
      const { tenant } = command
      const left = tenant === undefined ? typedByOthers(state.typed) : typedBy(snippet, tenant, state.typed)
      return Result.succeed(erased(left))
    }
    if (state.stage !== "live") return Result.fail(new SnippetNotFound({ snippet }))
    const subject = subjectOf(snippet)
    return SnippetCommand.$match(command, {
      UploadSnippet: (): Decision => Result.succeed([]),
      CastVote: ({ voter, task, vote }): Decision => {
        const whose = subjectOfVote(snippet, state.home, vote.home, state.typed)
        return Result.succeed([cast(snippet, voter, task, vote, null, whose)])
      },
      EraseVotes: ({ tenant }): Decision =>
        Result.succeed(tenant === undefined ? [] : erased(typedBy(snippet, tenant, state.typed))),
      Grade: ({ request, value, count, task, reason }): Decision =>
        Result.succeed(
          HashSet.has(state.due, request)
            ? [cast(snippet, null, task, { value, count, source: "ai", origin: null }, { request, reason })]
            : []
        ),
      FailGrading: ({ request, error }): Decision =>
        Result.succeed(
          HashSet.has(state.due, request)
            ? [Event.GradingFailed.make({ snippet, request, subject, text: { error } })]
            : []
        ),
      CancelGrading: ({ request, cause }): Decision =>
        Result.succeed(
          HashSet.has(state.due, request) ? [Event.GradingCancelled.make({ snippet, request, cause })] : []
        ),
      RecordExecution: ({ execution, month, vote, observed }): Decision =>
        Result.succeed([
          Event.ExecutionRecorded.make({ ...execution, snippet, subject: monthSubject(snippet, month) }),
          ...(state.tracked
            ? [
                Event.FunctionsObserved.make({
                  snippet,
                  succeeded: execution.state === "completed",
                  subject,
                  text: observed
                })
              ]
            : []),
          ...(vote === null ? [] : [cast(snippet, execution.user, execution.text.task, vote)])
        ]),
      ReviewExecution: ({ execution, month, review, vote, task }): Decision =>
        Result.succeed([
          Event.ExecutionReviewed.make({
            execution,
            snippet,
            verdict: review.verdict,
            subject: HashSet.has(state.months, month) ? monthSubject(snippet, month) : subject,
            text: { review }
          }),
          ...(vote === null ? [] : [cast(snippet, null, task, vote)])
        ]),
      AddComment: (command): Decision => addComment(command, state.comments),
      DeleteComment: (command): Decision => deleteComment(command, state.comments),
      WithdrawSnippet: ({ rules, found }): Decision =>
        Result.succeed(state.published ? [Event.SnippetWithdrawn.make({ snippet, rules, found })] : []),
      DeleteSnippet: (): Decision => {
        const apart = HashMap.filter(state.comments, ({ apart }) => apart)
        return Result.succeed([
          ...erased(typedByOthers(state.typed)),
          Event.SnippetDeleted.make({
            snippet,
            subject,
            comments: [...HashMap.keys(apart)].sort(),
            executions: [...state.months].sort(),
            logs: [...state.logMonths].sort()
          })
        ])
      }
    })
  },

  evolve: (state, event) =>
    SnippetEvent.match(event, {
      SnippetUploaded: ({ home, published }) => ({ ...state, stage: "live" as const, home, published }),
      TaskAdded: () => state,
      LogsRecorded: ({ subject }) => {
        const month = monthOfLogs(subject)
        return month === undefined ? state : { ...state, logMonths: HashSet.add(state.logMonths, month) }
      },
      SnippetPublished: () => ({ ...state, published: true }),
      SnippetWithdrawn: () => ({ ...state, published: false }),
      FunctionsTracked: () => ({ ...state, tracked: true }),
      FunctionsObserved: () => state,
      VoteRequested: ({ request }) => ({ ...state, due: HashSet.add(state.due, request) }),
      VoteCast: ({ request, subject }) => ({
        ...state,
        due: without(state.due, request),
        typed: withVote(state.typed, subject)
      }),
      VotesErased: ({ subject }) => ({ ...state, typed: withoutVotes(state.typed, subject) }),
      GradingFailed: ({ request }) => ({ ...state, due: without(state.due, request) }),
      GradingCancelled: ({ request }) => ({ ...state, due: without(state.due, request) }),
      ExecutionRecorded: ({ subject }) => {
        const month = monthOfSubject(subject)
        return month === undefined ? state : { ...state, months: HashSet.add(state.months, month) }
      },
      ExecutionReviewed: () => state,
      CommentAdded: ({ snippet, comment, author, subject }) => {
        const live = { author, apart: subject !== subjectOf(snippet) }
        return { ...state, comments: HashMap.set(state.comments, comment, live) }
      },
      CommentDeleted: ({ comment }) => ({ ...state, comments: HashMap.remove(state.comments, comment) }),
      SnippetDeleted: () => ({
        ...state,
        stage: "deleted" as const,
        due: HashSet.empty<string>(),
        comments: HashMap.empty<string, LiveComment>(),
        months: HashSet.empty<string>(),
        logMonths: HashSet.empty<string>(),
        // left if there are more voters than one command erases, or if an older process did not know of them
        typed: stillTyped(state.typed)
      })
    })
}
