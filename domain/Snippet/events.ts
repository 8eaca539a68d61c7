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
  /** 1-based line above which a comment on the function may stand. */
  line: Schema.optionalKey(Schema.Int)
})
export type FoundFunction = typeof FoundFunction.Type

/** What logs tell of a function's calls. */
export const Telemetry = Schema.Struct({
  /** As the log names it. */
  name: Schema.String,
  calls: Schema.Int,
  /** The average size of what the function returned, in the log's unit (bytes or characters). */
  averageSize: Schema.Finite,
  /** The share of calls that returned nothing, 0…1. */
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
  /** Of a repository: its files, with paths relative to its root. `source` is then its readme and a list of files. */
  files: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String, content: Schema.String })))
}

/** Where in a snippet something looks like a secret, and what it looks like; never the secret. */
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
    /** Keyed with the tenant's secret: the same code in one home gives the same digest. */
    sourceDigest: Schema.String,
    origin: Schema.Literals(["upload", "import"]),
    author: Schema.NullOr(Schema.String),
    language: Schema.String,
    completeness: Schema.Finite,
    succeeded: Schema.Boolean,
    published: Schema.Boolean,
    /** `file` if absent. */
    kind: Schema.optionalKey(SnippetKind),
    ...text(SnippetText)
  },
  /** The same code was uploaded again, for another task or the same one. */
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
  /** What a run printed, as an upload reports it: a text of its own, because it may go before the snippet. */
  LogsRecorded: {
    snippet: Schema.String,
    ...text({ task: Schema.NullOr(Schema.String), logs: Schema.String })
  },
  SnippetPublished: { snippet: Schema.String },
  /** Only its home has the snippet again: rules newer than its publication found a secret in what everyone saw. */
  SnippetWithdrawn: { snippet: Schema.String, rules: Schema.String, found: Schema.Array(WithdrawnFor) },
  /** From now on the reputation of the snippet's functions is kept; these are the functions of its source. */
  FunctionsTracked: {
    snippet: Schema.String,
    home: Schema.String,
    ...text({ agent: Schema.NullOr(Schema.String), functions: Schema.Array(FoundFunction) })
  },
  /** The source ran once; this is what its logs tell of its functions. */
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
    /** `human`: the voter was not known to be an agent, as callers told it at that time. */
    source: VoteSource,
    /** The user whose key voted; `null` for the service's grading. */
    voter: Schema.NullOr(Schema.String),
    /** The voter's home, which the task comes from; if absent, the snippet's own. */
    home: Schema.optionalKey(Schema.String),
    /** The grading that this vote answers. */
    request: Schema.NullOr(Schema.String),
    // voters of another tenant have a subject of their own, erasable alone; in older logs the snippet's
    ...text({
      task: Schema.NullOr(Schema.String),
      reason: Schema.NullOr(Schema.String),
      /** The vote's source as the caller named it, if it is neither `ai` nor `human`, such as `cli`. */
      origin: Schema.NullOr(Schema.String)
    })
  },
  /** What voters of another tenant typed when they voted is gone. Their votes stay. */
  VotesErased: { snippet: Schema.String, subject: Schema.String },
  /** The grading was tried several times without success: there will be no verdict. */
  GradingFailed: { snippet: Schema.String, request: Schema.String, ...text({ error: Schema.String }) },
  /** The grading is no longer due. */
  GradingCancelled: { snippet: Schema.String, request: Schema.String, cause: Schema.Literals(["expired"]) },
  ExecutionRecorded,
  ExecutionReviewed,
  CommentAdded: {
    snippet: Schema.String,
    comment: Schema.String,
    /** The user who wrote it. */
    author: Schema.NullOr(Schema.String),
    /** The home where it was written: a tenant, or one of its workspaces; `null` in older logs, which don't tell. */
    home: Schema.NullOr(Schema.String),
    // the comment has a subject of its own, which can be erased alone; in older logs the snippet's
    ...text({
      words: Schema.String,
      /** The agent that wrote it on the author's behalf. */
      agent: Schema.NullOr(Schema.String)
    })
  },
  /** Its author, or an owner of the snippet, has deleted it. */
  CommentDeleted: { snippet: Schema.String, comment: Schema.String, subject: Schema.String },
  SnippetDeleted: {
    snippet: Schema.String,
    subject: Schema.String,
    /** The comments that have a subject of their own, which is erased too. */
    comments: Strings,
    /** Months whose executions have a subject of their own, which is erased too. */
    executions: Strings,
    /** Months in which logs were recorded; their subjects are erased too. */
    logs: Strings
  }
})
export type SnippetEvent = typeof SnippetEvent.Type
export type UploadedText = NonNullable<(typeof SnippetEvent.cases.SnippetUploaded.Type)["text"]>

/** The subject of a snippet's own texts. */
export const subjectOf = (snippet: string) => `snippet/${snippet}`
