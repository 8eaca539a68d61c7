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
  /** `null` if the file is not text. */
  content: Schema.NullOr(Schema.String)
})
export type LogFile = typeof LogFile.Type

/** A file of a bundle that was not stored, by its place among the files. */
const LeftOutFile = Schema.Struct({
  file: Schema.Int,
  /** The bound that left no room for the file; `null` if it can't be stored, however much room there is. */
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
 * Stored for good: add a tag or a version, never change the meaning of one. Tags, streams and subjects say "upload",
 * the first name of a bundle. The field `upload` is a bundle's id.
 */
export const BundleEvent = Schema.TaggedUnion({
  /** Several files in one call, each to be stored as a snippet. The text is erased once they are stored. */
  UploadReceived: {
    upload: Schema.String,
    home: Schema.String,
    files: Schema.Int,
    /** How many votes a verdict, or a vote of the caller, counts as. */
    count: Schema.Int,
    /** Whether the files are to be graded. */
    graded: Schema.Boolean,
    /** The source of the caller's votes. */
    source: VoteSource,
    /** Whether the reputation of the files' functions is kept. */
    tracked: Schema.Boolean,
    ...text({
      files: Schema.Array(Schema.Struct({ path: Schema.String, content: Schema.String, vote: Schema.NullOr(Vote) })),
      task: Schema.NullOr(Schema.String),
      workspace: Schema.NullOr(Schema.String),
      agent: Schema.NullOr(Schema.String),
      /** The source that the caller named for the votes, if it is neither `ai` nor `human`. */
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
  /** The log files of the evidence. They have a subject of their own because they may be erased before the rest. */
  LogFilesReceived: { upload: Schema.String, ...text({ logs: Schema.Array(LogFile) }) },
  /** The files are stored, in these snippets. Files with the same content share one. */
  UploadStored: {
    upload: Schema.String,
    files: Schema.Int,
    snippets: Schema.Array(Schema.String),
    /** Gradings that were requested. */
    gradings: Schema.Int,
    /** Files that were not stored, if any; older releases did not record them. */
    leftOut: Schema.optionalKey(Schema.Array(LeftOutFile))
  },
  /** The last snippet of the bundle is gone. */
  UploadErased: {
    upload: Schema.String,
    subject: Schema.String,
    /** Whether its log files have a subject of their own, which is erased too. */
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

/** The subject of a bundle's evidence, which is kept longer than its files. */
const subjectOf = (bundle: string) => `upload/${bundle}`
/** The subject of what a bundle was sent with, erased once its files are stored. */
export const filesOf = (bundle: string) => `upload/${bundle}/files`
/** The subject of a bundle's log files. */
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
