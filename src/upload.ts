import { Effect } from "effect"
import { derivedId, keyedDigest, keyedId } from "#domain/Id.ts"
import type { Holder } from "#domain/Scope.ts"
import { type NewVote, SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import type { SnippetEvent, UploadedText } from "#domain/Snippet/events.ts"
import { SourceAnalysis } from "#ports/SourceAnalysis.ts"
import type { Attempt } from "./attempt.ts"
import { dispatch } from "./dispatch.ts"

/** A file to store as a snippet, with what its uploader says of it; what is `undefined` is read off the source. */
export interface Upload {
  readonly home: string
  readonly workspace: string | null
  readonly agent: string | null
  readonly origin: "upload" | "import"
  readonly path: string
  readonly source: string
  readonly task: string | null
  readonly logs: string | null
  readonly succeeded: boolean
  readonly publish: boolean
  readonly dependencies: { readonly [name: string]: string }
  readonly tags: ReadonlyArray<string>
  readonly vote: NewVote | null
  /** Votes that an AI verdict will count, when a grading is due. */
  readonly gradingCount: number | null
  readonly name?: string
  readonly description?: string
  readonly language?: string
  readonly entrypoint?: string
  readonly exampleQueries?: ReadonlyArray<string>
  readonly externalId?: string
}

export interface Uploaded {
  readonly snippet: string
  /** The name that it got by this upload; `null` when it was here already, under the name of its first upload. */
  readonly name: string | null
  /** The grading that is due. */
  readonly request: string | null
  readonly position: number
}

/** What the source says, unless the uploader says otherwise. */
const read = Effect.fnUntraced(function* (upload: Upload) {
  const analysis = yield* (yield* SourceAnalysis).analyse(upload.path, upload.source)
  const text: UploadedText = {
    name: upload.name ?? analysis.name,
    path: upload.path,
    source: upload.source,
    entrypoint: upload.entrypoint ?? analysis.entrypoint,
    description: upload.description ?? analysis.description,
    languageVersion: null,
    dependencies: upload.dependencies,
    tags: upload.tags,
    capabilities: [],
    inputSchema: analysis.inputSchema,
    outputSchema: analysis.outputSchema,
    exampleQueries: upload.exampleQueries ?? [],
    externalId: upload.externalId ?? null,
    workspace: upload.workspace,
    agent: upload.agent,
    task: upload.task,
    logs: upload.logs
  }
  return { language: upload.language ?? analysis.language, completeness: analysis.completeness, text }
})

/** The id of the command that stores a file, by the attempt at it and the snippet's generation. */
export const uploadId = (attempt: string, generation: number): string => derivedId("upload", attempt, generation)

/**
 * Stores one file. The same code in the same home is one snippet: its id comes from its source, and this upload then
 * adds a task and a vote to it. Code that was deleted is a new snippet, of the next generation.
 */
export const upload = Effect.fnUntraced(function* (
  holder: Pick<Holder, "tenant" | "secret"> & { readonly user: string | null },
  upload: Upload,
  attempt: Attempt
) {
  const { language, completeness, text } = yield* read(upload)
  const sourceDigest = keyedDigest(holder.secret, upload.source)
  const { home, origin, succeeded, publish, vote } = upload

  const tryGeneration = (generation: number): ReturnType<typeof store> =>
    store(generation).pipe(Effect.catchTag("SnippetGone", () => tryGeneration(generation + 1)))

  const store = (generation: number) => {
    const snippet = keyedId(holder.secret, "snippet", home, sourceDigest, generation)
    const commandId = uploadId(attempt.commandId, generation)
    const due = vote === null && upload.gradingCount !== null
    const grading = due ? { request: derivedId("grading", commandId), count: upload.gradingCount! } : null
    return dispatch(Snippet, {
      tenant: holder.tenant,
      stream: `snippet-${snippet}`,
      command: SnippetCommand.UploadSnippet({
        ...{ snippet, home, generation, sourceDigest, origin, author: holder.user, language, completeness },
        ...{ succeeded, publish, text, vote, grading }
      }),
      ...attempt,
      commandId
    }).pipe(Effect.map((events) => ({ snippet, request: grading?.request ?? null, events })))
  }

  const { snippet, request, events } = yield* tryGeneration(0)
  const first = events.map(({ event }) => event as SnippetEvent).find((event) => event._tag === "SnippetUploaded")
  const uploaded: Uploaded = {
    snippet,
    name: first?.text?.name ?? null,
    request,
    position: events.at(-1)?.position ?? 0
  }
  return uploaded
})
