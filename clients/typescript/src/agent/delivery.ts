import type { Cairn } from "../Cairn.ts"
import { deadline } from "../deadline.ts"
import { APIError, ValidationError } from "../errors.ts"
import type { RequestOptions } from "../options.ts"
import type { ChangedFile } from "./collect.ts"
import type { OfferedFile } from "./offer.ts"
import type { Verdict } from "./usage.ts"

/**
 * Milliseconds that one upload or vote, and all of a success, may hold up the session: who is slow is not waited for.
 */
const mostOfOne = 5_000
const mostOfAll = 20_000

/** What a success is to send. */
export interface Parcel {
  readonly task: string
  readonly files: ReadonlyArray<ChangedFile & { readonly logs: string }>
  readonly verdicts: ReadonlyArray<Verdict>
  /** Whether everybody may find the files. */
  readonly public: boolean
}

/** What arrived. */
export interface Delivered {
  readonly uploaded: ReadonlyArray<string>
  readonly voted: ReadonlyArray<{ readonly file: OfferedFile; readonly succeeded: boolean }>
}

/**
 * Sends a success's files, then its votes. What the service refuses says nothing of the next; when it does not answer,
 * or takes nothing of this client's, nothing more is sent. Never fails: `warn` hears of trouble.
 */
export const deliver = async (
  client: Cairn,
  { task, files, verdicts, ...parcel }: Parcel,
  warn: (what: string, error: unknown) => void
): Promise<Delivered> => {
  const ends = performance.now() + mostOfAll
  const hurried = (): RequestOptions => {
    const left = Math.min(mostOfOne, Math.ceil(ends - performance.now()))
    return { maxRetries: 1, signal: deadline(Math.max(0, left)) }
  }
  let open = true
  const sendEach = async <T>(
    what: string,
    those: ReadonlyArray<T>,
    send: (one: T, options: RequestOptions) => PromiseLike<unknown>
  ) => {
    const sent: Array<T> = []
    for (const one of those) {
      if (!open) break
      try {
        await send(one, hurried())
        sent.push(one)
      } catch (error) {
        warn(what, error)
        open = error instanceof APIError || error instanceof ValidationError
      }
    }
    return sent
  }
  const uploaded = await sendEach(
    "The session's files could not be uploaded",
    files,
    ({ path, content, logs }, options) =>
      client.upload(
        {
          task: task === "" ? path : task,
          fileWritten: { path, content },
          succeeded: true,
          ...(logs === "" ? {} : { executionLogs: logs }),
          ...(parcel.public ? { public: true } : {})
        },
        options
      )
  )
  const voted = await sendEach("The session's votes could not be cast", verdicts, ({ file, succeeded }, options) => {
    const { codeBlockId, filename, description } = file
    return client.voteCodeSnip(
      {
        codeBlockId,
        succeeded,
        task,
        codeBlockName: filename,
        codeBlockDescription: description,
        voteSource: "ai"
      },
      options
    )
  })
  return { uploaded: uploaded.map(({ path }) => path), voted }
}
