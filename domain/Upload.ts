import { Data, Result, Schema } from "effect"
import type { Decider } from "#engine/Decider.ts"
import { text } from "#engine/Event.ts"
import { VoteSource } from "./Snippet/events.ts"

const Vote = Schema.Literals([1, -1])

/** A log file that came with an upload. */
export const LogFile = Schema.Struct({
  path: Schema.String,
  contentType: Schema.NullOr(Schema.String),
  /** Bytes. */
  size: Schema.Int,
  /** `null`: it is no text. */
  content: Schema.NullOr(Schema.String)
})
export type LogFile = typeof LogFile.Type

/** Stored for good: add a tag or a version, never change the meaning of one. */
export const UploadEvent = Schema.TaggedUnion({
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
  /** What the files of an upload are judged by; kept until the last of its snippets is deleted. */
  EvidenceReceived: {
    upload: Schema.String,
    ...text({ prompts: Schema.Array(Schema.String), logs: Schema.Array(LogFile) })
  },
  /** All files are stored: those snippets have them, two files of the same content the same one. */
  UploadStored: {
    upload: Schema.String,
    files: Schema.Int,
    snippets: Schema.Array(Schema.String),
    /** Gradings that were requested. */
    gradings: Schema.Int
  },
  /** None of its snippets is there any more. */
  UploadErased: { upload: Schema.String, subject: Schema.String }
})
export type UploadEvent = typeof UploadEvent.Type
const Event = UploadEvent.cases

type Received = typeof Event.UploadReceived.Type
type Evidence = NonNullable<(typeof Event.EvidenceReceived.Type)["text"]>

export type UploadCommand = Data.TaggedEnum<{
  ReceiveUpload: Omit<Received, "_tag" | "subject" | "text" | "files"> & {
    readonly text: NonNullable<Received["text"]>
    readonly evidence: Evidence
  }
  CompleteUpload: Omit<typeof Event.UploadStored.Type, "_tag">
  EraseUpload: { readonly upload: string }
}>
export const UploadCommand = Data.taggedEnum<UploadCommand>()

export interface UploadState {
  readonly stage: "absent" | "received" | "stored" | "erased"
}

/** The id of an upload's stream. */
export const uploadStream = (upload: string) => `upload-${upload}`

/** What it is judged by stays longer than its files. */
const subjectOf = (upload: string) => `upload/${upload}`
/** The subject of what an upload was sent with, until it is stored. */
export const filesOf = (upload: string) => `upload/${upload}/files`

type Decision = Result.Result<Array<UploadEvent>, never>

/** Several files that were sent at once: received as a whole, then stored one by one. */
export const Upload: Decider<UploadCommand, UploadEvent, UploadState, never> = {
  initial: { stage: "absent" },

  decide: (command, { stage }) =>
    UploadCommand.$match(command, {
      ReceiveUpload: ({ _tag, evidence, ...received }): Decision => {
        const { upload, text } = received
        return Result.succeed(
          stage === "absent"
            ? [
                Event.UploadReceived.make({ ...received, files: text.files.length, subject: filesOf(upload) }),
                Event.EvidenceReceived.make({ upload, subject: subjectOf(upload), text: evidence })
              ]
            : []
        )
      },
      CompleteUpload: ({ _tag, ...stored }): Decision =>
        Result.succeed(stage === "received" ? [Event.UploadStored.make(stored)] : []),
      EraseUpload: ({ upload }): Decision =>
        Result.succeed(stage === "stored" ? [Event.UploadErased.make({ upload, subject: subjectOf(upload) })] : [])
    }),

  evolve: (_, event) =>
    UploadEvent.match(event, {
      UploadReceived: () => ({ stage: "received" as const }),
      EvidenceReceived: () => ({ stage: "received" as const }),
      UploadStored: () => ({ stage: "stored" as const }),
      UploadErased: () => ({ stage: "erased" as const })
    })
}
