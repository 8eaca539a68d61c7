import { Schema } from "effect"
import { text } from "#engine/Event.ts"
import { ExecutionRecorded, ExecutionReviewed } from "../Execution.ts"

const Strings = Schema.Array(Schema.String)
const Versions = Schema.Record(Schema.String, Schema.String)
const JsonObject = Schema.Record(Schema.String, Schema.Unknown)

export const VoteSource = Schema.Literals(["ai", "human"])
export type VoteSource = typeof VoteSource.Type

/** `repo`: several files that belong together; `route` and `script` are what an uploader may call a file. */
export const SnippetKind = Schema.Literals(["file", "repo", "route", "script"])
export type SnippetKind = typeof SnippetKind.Type

/** A function of a snippet's source. */
export const FoundFunction = Schema.Struct({
  fingerprint: Schema.String,
  name: Schema.String,
  signature: Schema.String,
  /** 1-based line above which a comment on it may stand. */
  line: Schema.optionalKey(Schema.Int)
})
export type FoundFunction = typeof FoundFunction.Type

/** What logs tell of a function's calls. */
export const Telemetry = Schema.Struct({
  /** As the log names it. */
  name: Schema.String,
  calls: Schema.Int,
  /** Of what it returned, in the unit of the log (bytes or characters). */
  averageSize: Schema.Finite,
  /** 0…1: calls that returned nothing. */
  emptyRate: Schema.Finite
})
export type Telemetry = typeof Telemetry.Type

/** An error that logs tell of, and the functions that it went through. */
export const LoggedError = Schema.Struct({
  type: Schema.String,
  message: Schema.String,
  functions: Schema.Array(Schema.String)
})
export type LoggedError = typeof LoggedError.Type

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
  /** In older logs; see `LogsRecorded`. */
  logs: Schema.NullOr(Schema.String),
  /** Of a repository: its files, with paths relative to its root; `source` is then its readme. */
  files: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String, content: Schema.String })))
}

/** Where something that looks like a secret is in a snippet, and what it looks like; never the secret. */
export const WithdrawnFor = Schema.Struct({
  /** As a path of what is stored, e.g. `source` or `files.3.content`. */
  field: Schema.String,
  /** From 1. */
  line: Schema.Int,
  /** As the rule calls it, e.g. `github: GITHUB_TOKEN`. */
  kind: Schema.String
})
export type WithdrawnFor = typeof WithdrawnFor.Type

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
    /** `file` when it is not said. */
    kind: Schema.optionalKey(SnippetKind),
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
      /** In older logs; see `LogsRecorded`. */
      logs: Schema.NullOr(Schema.String),
      agent: Schema.NullOr(Schema.String)
    })
  },
  /** What the run printed that an upload tells of: a text of its own, for it may go before the snippet does. */
  LogsRecorded: {
    snippet: Schema.String,
    ...text({ task: Schema.NullOr(Schema.String), logs: Schema.String })
  },
  SnippetPublished: { snippet: Schema.String },
  /** It is its home's alone again: rules that came after it was published find a secret in what everyone saw. */
  SnippetWithdrawn: { snippet: Schema.String, rules: Schema.String, found: Schema.Array(WithdrawnFor) },
  /** From now on the reputation of its functions is kept; these are what its source has. */
  FunctionsTracked: {
    snippet: Schema.String,
    home: Schema.String,
    ...text({ agent: Schema.NullOr(Schema.String), functions: Schema.Array(FoundFunction) })
  },
  /** The source ran once, and this is what its logs tell of its functions. */
  FunctionsObserved: {
    snippet: Schema.String,
    succeeded: Schema.Boolean,
    ...text({ telemetry: Schema.Array(Telemetry), errors: Schema.Array(LoggedError) })
  },
  /** An AI grading is due; its verdict will count `count` times. */
  VoteRequested: { snippet: Schema.String, request: Schema.String, count: Schema.Int },
  VoteCast: {
    snippet: Schema.String,
    value: Schema.Literals([1, -1]),
    count: Schema.Int,
    /** `human`: nobody who was known to be an agent, as callers told it at that time. */
    source: VoteSource,
    /** The user whose key voted; `null` for the service's grading. */
    voter: Schema.NullOr(Schema.String),
    /** The voter's home, whose task it was; the snippet's own when it is not said. */
    home: Schema.optionalKey(Schema.String),
    /** The grading that it answers. */
    request: Schema.NullOr(Schema.String),
    // of another tenant's voters theirs, so that it can be erased alone; in older logs the snippet's
    ...text({
      task: Schema.NullOr(Schema.String),
      reason: Schema.NullOr(Schema.String),
      /** What the caller named as the vote's source beside `ai` and `human`, such as `cli`. */
      origin: Schema.NullOr(Schema.String)
    })
  },
  /** What voters of one tenant, which is not the snippet's, typed when they voted is gone. Their votes stay. */
  VotesErased: { snippet: Schema.String, subject: Schema.String },
  /** The grading was tried and tried again, and there will be no verdict. */
  GradingFailed: { snippet: Schema.String, request: Schema.String, ...text({ error: Schema.String }) },
  /** The grading is not due any more. */
  GradingCancelled: { snippet: Schema.String, request: Schema.String, cause: Schema.Literals(["expired"]) },
  ExecutionRecorded,
  ExecutionReviewed,
  CommentAdded: {
    snippet: Schema.String,
    comment: Schema.String,
    /** The user who wrote it. */
    author: Schema.NullOr(Schema.String),
    /** Where it was said from: a tenant, or one of its workspaces; `null` in older logs, which don't tell. */
    home: Schema.NullOr(Schema.String),
    // the comment's own, so that it can be erased alone; in older logs the snippet's
    ...text({
      words: Schema.String,
      /** The agent that said it, on behalf of its author. */
      agent: Schema.NullOr(Schema.String)
    })
  },
  /** Its author, or who owns the snippet, has taken it back. */
  CommentDeleted: { snippet: Schema.String, comment: Schema.String, subject: Schema.String },
  SnippetDeleted: {
    snippet: Schema.String,
    subject: Schema.String,
    /** Its comments whose text has a subject of its own: it goes too. */
    comments: Strings,
    /** Months in which executions were recorded whose text has a subject of its own: it goes too. */
    executions: Strings,
    /** Months in which logs were recorded: they go too. */
    logs: Strings
  }
})
export type SnippetEvent = typeof SnippetEvent.Type
export type UploadedText = NonNullable<(typeof SnippetEvent.cases.SnippetUploaded.Type)["text"]>

/** Whose texts a snippet's are. */
export const subjectOf = (snippet: string) => `snippet/${snippet}`
