import { Data, Result, Schema } from "effect"
import type { Decider } from "./Decider.ts"
import { text } from "./Event.ts"

const Strings = Schema.Array(Schema.String)
const Versions = Schema.Record(Schema.String, Schema.String)
const JsonObject = Schema.Record(Schema.String, Schema.Unknown)

export const VoteSource = Schema.Literals(["ai", "human"])
export type VoteSource = typeof VoteSource.Type

/** What a snippet says of itself, found at its first upload. */
export const SnippetText = {
  name: Schema.String,
  path: Schema.String,
  source: Schema.String,
  entrypoint: Schema.String,
  description: Schema.String,
  languageVersion: Schema.NullOr(Schema.String),
  dependencies: Versions,
  tags: Strings,
  capabilities: Strings,
  inputSchema: JsonObject,
  outputSchema: JsonObject,
  exampleQueries: Strings,
  /** The id that an imported snippet had where it came from. */
  externalId: Schema.NullOr(Schema.String),
  /** The workspace header of the upload. */
  workspace: Schema.NullOr(Schema.String),
  agent: Schema.NullOr(Schema.String),
  task: Schema.NullOr(Schema.String),
  logs: Schema.NullOr(Schema.String)
}

/** Stored for good: add a tag or a version, never change the meaning of one. */
export const SnippetEvent = Schema.TaggedUnion({
  SnippetUploaded: {
    snippet: Schema.String,
    /** Where it lives: `tenant`, or `tenant/workspace` with the workspace's keyed id. */
    home: Schema.String,
    generation: Schema.Int,
    /** Keyed under the tenant's secret: the same code in a home gives the same one. */
    sourceDigest: Schema.String,
    origin: Schema.Literals(["upload", "import"]),
    author: Schema.NullOr(Schema.String),
    language: Schema.String,
    completeness: Schema.Finite,
    succeeded: Schema.Boolean,
    published: Schema.Boolean,
    ...text(SnippetText)
  },
  /** The same code again, for another task or the same. */
  TaskAdded: {
    snippet: Schema.String,
    author: Schema.NullOr(Schema.String),
    succeeded: Schema.Boolean,
    ...text({
      path: Schema.String,
      task: Schema.NullOr(Schema.String),
      dependencies: Versions,
      logs: Schema.NullOr(Schema.String),
      agent: Schema.NullOr(Schema.String)
    })
  },
  SnippetPublished: { snippet: Schema.String },
  /** An AI grading is due; its verdict will count `count` times. */
  VoteRequested: { snippet: Schema.String, request: Schema.String, count: Schema.Int },
  VoteCast: {
    snippet: Schema.String,
    value: Schema.Literals([1, -1]),
    count: Schema.Int,
    source: VoteSource,
    /** The user who voted; `null` for the service's grading. */
    voter: Schema.NullOr(Schema.String),
    /** The grading that it answers. */
    request: Schema.NullOr(Schema.String),
    ...text({
      task: Schema.NullOr(Schema.String),
      reason: Schema.NullOr(Schema.String),
      /** What the caller named as the vote's source when it is neither `ai` nor `human`. */
      origin: Schema.NullOr(Schema.String)
    })
  },
  SnippetDeleted: { snippet: Schema.String, subject: Schema.String }
})
export type SnippetEvent = typeof SnippetEvent.Type
const Event = SnippetEvent.cases

export type UploadedText = NonNullable<(typeof Event.SnippetUploaded.Type)["text"]>

export interface NewVote {
  readonly value: 1 | -1
  readonly count: number
  readonly source: VoteSource
  readonly origin: string | null
}

export type SnippetCommand = Data.TaggedEnum<{
  UploadSnippet: {
    readonly snippet: string
    readonly home: string
    readonly generation: number
    readonly sourceDigest: string
    readonly origin: "upload" | "import"
    readonly author: string | null
    readonly language: string
    readonly completeness: number
    readonly succeeded: boolean
    readonly publish: boolean
    readonly text: UploadedText
    readonly vote: NewVote | null
    /** The id of the grading that is due, when no vote is given. */
    readonly grading: { readonly request: string; readonly count: number } | null
  }
  CastVote: {
    readonly snippet: string
    readonly voter: string | null
    readonly task: string | null
    readonly vote: NewVote
  }
  DeleteSnippet: { readonly snippet: string }
}>
export const SnippetCommand = Data.taggedEnum<SnippetCommand>()

export class SnippetNotFound extends Data.TaggedError("SnippetNotFound")<{ readonly snippet: string }> {}
/** The code was here once and was deleted: the same code again is a new snippet, of the next generation. */
export class SnippetGone extends Data.TaggedError("SnippetGone")<{ readonly snippet: string }> {}

export interface SnippetState {
  readonly stage: "absent" | "live" | "deleted"
  readonly published: boolean
}

const subjectOf = (snippet: string) => `snippet/${snippet}`

const cast = (snippet: string, voter: string | null, task: string | null, vote: NewVote) =>
  Event.VoteCast.make({
    snippet,
    value: vote.value,
    count: vote.count,
    source: vote.source,
    voter,
    request: null,
    subject: subjectOf(snippet),
    text: { task, reason: null, origin: vote.origin }
  })

type Upload = Data.TaggedEnum.Value<SnippetCommand, "UploadSnippet">

const uploaded = (upload: Upload): SnippetEvent => {
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
    subject: subjectOf(snippet),
    text
  })
}

const again = ({ snippet, author, succeeded, text, publish }: Upload, state: SnippetState): Array<SnippetEvent> => {
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

const ballot = ({ snippet, author, text, vote, grading }: Upload): Array<SnippetEvent> => {
  if (vote !== null) return [cast(snippet, author, text.task, vote)]
  return grading === null ? [] : [Event.VoteRequested.make({ snippet, ...grading })]
}

/** One snippet: one source text in one home, its tasks and its votes, until it is deleted. */
export const Snippet: Decider<SnippetCommand, SnippetEvent, SnippetState, SnippetNotFound | SnippetGone> = {
  initial: { stage: "absent", published: false },

  decide: (command, state) =>
    SnippetCommand.$match(command, {
      UploadSnippet: (upload): Result.Result<Array<SnippetEvent>, SnippetGone> => {
        if (state.stage === "deleted") return Result.fail(new SnippetGone({ snippet: upload.snippet }))
        const stored = state.stage === "live" ? again(upload, state) : [uploaded(upload)]
        return Result.succeed([...stored, ...ballot(upload)])
      },
      CastVote: ({ snippet, voter, task, vote }) =>
        state.stage === "live"
          ? Result.succeed([cast(snippet, voter, task, vote)])
          : Result.fail(new SnippetNotFound({ snippet })),
      DeleteSnippet: ({ snippet }) =>
        state.stage === "live"
          ? Result.succeed([Event.SnippetDeleted.make({ snippet, subject: subjectOf(snippet) })])
          : Result.fail(new SnippetNotFound({ snippet }))
    }),

  evolve: (state, event) =>
    SnippetEvent.match(event, {
      SnippetUploaded: ({ published }) => ({ stage: "live" as const, published }),
      TaskAdded: () => state,
      SnippetPublished: () => ({ ...state, published: true }),
      VoteRequested: () => state,
      VoteCast: () => state,
      SnippetDeleted: () => ({ ...state, stage: "deleted" as const })
    }),

  erases: (event) => (event._tag === "SnippetDeleted" ? [event.subject] : [])
}
