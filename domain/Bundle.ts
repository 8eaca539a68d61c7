import { Data, Result, Schema } from "effect"
import type { Decider } from "#engine/Decider.ts"
import { text } from "#engine/Event.ts"
import { VoteSource } from "./Snippet/events.ts"

const Vote = Schema.Literals([1, -1])

/** A log file that came with a bundle. */
export const LogFile = Schema.Struct({
  path: Schema.String,
  contentType: Schema.NullOr(Schema.String),
  /** Bytes. */
  size: Schema.Int,
  /** `null`: it is no text. */
  content: Schema.NullOr(Schema.String)
})
export type LogFile = typeof LogFile.Type

/** A file of a bundle that was not stored, by its place among the files. */
const LeftOutFile = Schema.Struct({
  file: Schema.Int,
  /** The bound that left no room for it; `null`: it can't be stored, wherever there is room. */
  bound: Schema.NullOr(
    Schema.Struct({
      bound: Schema.Literals(["snippets", "repository_bytes"]),
      of: Schema.Literals(["tenant", "key"]),
      limit: Schema.Int,
      used: Schema.Int,
      asked: Schema.NullOr(Schema.Int)
    })
  )
})
export type LeftOutFile = typeof LeftOutFile.Type

/**
 * Stored for good: add a tag or a version, never change the meaning of one. Their tags, streams and subjects say
 * "upload", as bundles were called when the first of them was stored; a field `upload` is a bundle's id.
 */
export const BundleEvent = Schema.TaggedUnion({
  /** Several files at once, to be stored as a snippet each. The text is erased as soon as they are. */
  UploadReceived: {
    upload: Schema.String,
    home: Schema.String,
    files: Schema.Int,
    /** Votes that a verdict or a vote of the caller counts. */
    count: Schema.Int,
    /** Whether the files are to be graded. */
    graded: Schema.Boolean,
    /** Of the caller's votes. */
    source: VoteSource,
    /** Whether the reputation of the files' functions is kept. */
    tracked: Schema.Boolean,
    ...text({
      files: Schema.Array(Schema.Struct({ path: Schema.String, content: Schema.String, vote: Schema.NullOr(Vote) })),
      task: Schema.NullOr(Schema.String),
      workspace: Schema.NullOr(Schema.String),
      agent: Schema.NullOr(Schema.String),
      /** What the caller named as the votes' source when it is neither `ai` nor `human`. */
      origin: Schema.NullOr(Schema.String)
    })
  },
  /** What the files of a bundle are judged by; kept until the last of its snippets is deleted. */
  EvidenceReceived: {
    upload: Schema.String,
    ...text({
      prompts: Schema.Array(Schema.String),
      /** In older logs; see `LogFilesReceived`. */
      logs: Schema.Array(LogFile)
    })
  },
  /** So are these: a text of its own, for it may go before that. */
  LogFilesReceived: { upload: Schema.String, ...text({ logs: Schema.Array(LogFile) }) },
  /** All files are stored: those snippets have them, two files of the same content the same one. */
  UploadStored: {
    upload: Schema.String,
    files: Schema.Int,
    snippets: Schema.Array(Schema.String),
    /** Gradings that were requested. */
    gradings: Schema.Int,
    /** Files that were not stored, where there are any; older releases did not note which. */
    leftOut: Schema.optionalKey(Schema.Array(LeftOutFile))
  },
  /** None of its snippets is there any more. */
  UploadErased: {
    upload: Schema.String,
    subject: Schema.String,
    /** Whether it has log files with a subject of their own: it goes too. */
    logs: Schema.Boolean
  }
})
export type BundleEvent = typeof BundleEvent.Type
const Event = BundleEvent.cases

type Received = typeof Event.UploadReceived.Type
/** What the files of a bundle are judged by, as it was sent. */
type Evidence = NonNullable<(typeof Event.EvidenceReceived.Type)["text"]>

export type BundleCommand = Data.TaggedEnum<{
  ReceiveBundle: Omit<Received, "_tag" | "upload" | "subject" | "text" | "files"> & {
    readonly bundle: string
    readonly text: NonNullable<Received["text"]>
    readonly evidence: Evidence
  }
  CompleteBundle: Omit<typeof Event.UploadStored.Type, "_tag" | "upload"> & { readonly bundle: string }
  EraseBundle: { readonly bundle: string }
}>
export const BundleCommand = Data.taggedEnum<BundleCommand>()

export interface BundleState {
  readonly stage: "absent" | "received" | "stored" | "erased"
  /** Whether its log files have a subject of their own. */
  readonly logs: boolean
}

/** The id of a bundle's stream. */
export const bundleStream = (bundle: string) => `upload-${bundle}`

/** What it is judged by stays longer than its files. */
const subjectOf = (bundle: string) => `upload/${bundle}`
/** The subject of what a bundle was sent with, until it is stored. */
export const filesOf = (bundle: string) => `upload/${bundle}/files`
/** The subject of the log files that came with it. */
export const logFilesOf = (bundle: string) => `upload/${bundle}/logs`

type Decision = Result.Result<Array<BundleEvent>, never>

/** Several files that were sent at once: received as a whole, then stored one by one. */
export const Bundle: Decider<BundleCommand, BundleEvent, BundleState, never> = {
  initial: { stage: "absent", logs: false },

  decide: (command, { stage, logs }) =>
    BundleCommand.$match(command, {
      ReceiveBundle: ({ _tag, bundle: upload, evidence, ...received }): Decision => {
        if (stage !== "absent") return Result.succeed([])
        const files = received.text.files.length
        return Result.succeed([
          Event.UploadReceived.make({ ...received, upload, files, subject: filesOf(upload) }),
          Event.EvidenceReceived.make({ upload, subject: subjectOf(upload), text: { ...evidence, logs: [] } }),
          ...(evidence.logs.length === 0
            ? []
            : [Event.LogFilesReceived.make({ upload, subject: logFilesOf(upload), text: { logs: evidence.logs } })])
        ])
      },
      CompleteBundle: ({ _tag, bundle, ...stored }): Decision =>
        Result.succeed(stage === "received" ? [Event.UploadStored.make({ ...stored, upload: bundle })] : []),
      EraseBundle: ({ bundle }): Decision =>
        Result.succeed(
          stage === "stored" ? [Event.UploadErased.make({ upload: bundle, subject: subjectOf(bundle), logs })] : []
        )
    }),

  evolve: (state, event) =>
    BundleEvent.match(event, {
      UploadReceived: () => ({ ...state, stage: "received" as const }),
      EvidenceReceived: () => ({ ...state, stage: "received" as const }),
      LogFilesReceived: () => ({ stage: "received" as const, logs: true }),
      UploadStored: () => ({ ...state, stage: "stored" as const }),
      UploadErased: () => ({ ...state, stage: "erased" as const })
    })
}
