import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { StorageBoundReached } from "#domain/bounded.ts"
import { monthIn } from "#domain/Execution.ts"
import { strippingAnnotations } from "#domain/functions/annotate.ts"
import { concerning } from "#domain/functions/attribution.ts"
import { errorsInSteps } from "#domain/functions/errors.ts"
import { telemetryInSteps } from "#domain/functions/telemetry.ts"
import { keptTask } from "#domain/keptTask.ts"
import type { RepositoryFile } from "#domain/Repository/files.ts"
import type { Holder } from "#domain/Scope.ts"
import { type NewVote, type Observed, SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import type { SnippetEvent, SnippetKind, UploadedText } from "#domain/Snippet/events.ts"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { Busy } from "#engine/decide.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import { beginning, type Position } from "#engine/Position.ts"
import { inSteps } from "#engine/pages.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type FunctionFound, type JsonObject, SourceAnalysis } from "#ports/SourceAnalysis.ts"
import { Storage } from "#src/usage/Storage.ts"
import { digestOf, idOf, idsOf } from "./ids.ts"

/**
 * A file to store as a snippet, with what its uploader says of it. An absent field is read off the source, or means no.
 */
export interface Upload {
  readonly home: string
  readonly workspace: string | null
  readonly agent: string | null
  /** Default: `upload`. */
  readonly origin?: "upload" | "import"
  readonly path: string
  readonly source: string
  readonly task?: string | null
  readonly logs?: string | null
  readonly succeeded: boolean
  readonly publish?: boolean
  /** Versions by package name. */
  readonly dependencies?: { readonly [name: string]: string }
  /** Further ones are read off the source. */
  readonly tags?: ReadonlyArray<string>
  readonly vote?: NewVote | null
  /** The votes that it had where it comes from; they count if it is new here. */
  readonly broughtVotes?: ReadonlyArray<NewVote>
  /** Whether the reputation of its functions is kept from now on. */
  readonly tracked?: boolean
  /** What the logs of several files together tell of functions; if given, `logs` is not looked at. */
  readonly shared?: Observed | null
  /** How many votes the service's verdict will count as; if absent, or if there is a vote, no grading is asked for. */
  readonly gradingCount?: number | null
  /** The grading's id, if several files share one; if absent, each has its own. */
  readonly gradingRequest?: string
  readonly name?: string
  readonly description?: string
  readonly language?: string
  readonly entrypoint?: string
  readonly exampleQueries?: ReadonlyArray<string>
  readonly externalId?: string
  readonly languageVersion?: string
  readonly capabilities?: ReadonlyArray<string>
  readonly inputSchema?: JsonObject
  readonly outputSchema?: JsonObject
  readonly completeness?: number
  readonly kind?: SnippetKind
  /** A repository's files: the same files are then the same snippet, whatever `source` says of them. */
  readonly files?: ReadonlyArray<RepositoryFile>
}

export interface Uploaded {
  readonly snippet: string
  /** The name that this upload gave it; `null` if it was stored already, under the name of its first upload. */
  readonly name: string | null
  /** The grading that is due. */
  readonly request: string | null
  readonly position: Position
}

/** An upload without what the service itself writes into a source and a task. */
interface Prepared extends Upload {
  readonly task: string | null
}

/** What logs tell of functions: logged calls, and errors with the functions in their tracebacks. */
export const observedIn = Effect.fnUntraced(function* (logs: string) {
  const telemetry = yield* inSteps(telemetryInSteps([logs]))
  const observed: Observed = { telemetry, errors: yield* inSteps(errorsInSteps(logs)) }
  return observed
})

/** What this run's logs tell of the functions, and which functions there are if their reputation is kept. */
const functionsOf = Effect.fnUntraced(function* (
  { tracked, logs, shared, task }: Prepared,
  found: ReadonlyArray<FunctionFound>
) {
  // code that was never run tells nothing
  if (tracked !== true && task === null) return null
  const observed = shared == null ? yield* observedIn(logs ?? "") : concerning(shared, found)
  return {
    found:
      tracked === true
        ? found.map(({ fingerprint, name, signature, commentLine: line }) => ({ fingerprint, name, signature, line }))
        : null,
    observed
  }
})

/** What the source says, unless the uploader says otherwise. */
const read = Effect.fnUntraced(function* (upload: Prepared) {
  const analysis = yield* (yield* SourceAnalysis).analyse(upload.path, upload.source)
  const text: UploadedText = {
    name: upload.name ?? analysis.name,
    path: upload.path,
    source: upload.source,
    entrypoint: upload.entrypoint ?? analysis.entrypoint,
    description: upload.description ?? analysis.description,
    languageVersion: upload.languageVersion ?? analysis.languageVersion,
    dependencies: upload.dependencies ?? {},
    tags: [...new Set([...(upload.tags ?? []), ...analysis.tags])],
    capabilities: upload.capabilities?.length ? upload.capabilities : analysis.capabilities,
    inputSchema: upload.inputSchema ?? analysis.inputSchema,
    outputSchema: upload.outputSchema ?? analysis.outputSchema,
    exampleQueries: upload.exampleQueries ?? [],
    externalId: upload.externalId ?? null,
    workspace: upload.workspace,
    agent: upload.agent,
    task: upload.task,
    // the logs are an event of their own
    logs: null,
    ...(upload.files === undefined ? {} : { files: upload.files })
  }
  return {
    language: upload.language ?? analysis.language,
    text,
    completeness: upload.completeness ?? analysis.completeness,
    functions: yield* functionsOf(upload, analysis.functions)
  }
})

/** The id of the command that stores a file as a snippet of a generation. */
export const uploadId = (commandId: string, generation: number): string => derivedId("upload", commandId, generation)

/**
 * Stores one file. The same code in the same home is one snippet, since its id comes from its source: uploading it
 * again adds a task and a vote. Code that was deleted becomes a new snippet, of the next generation. Fails with
 * `TooMuchWaits` if too many of this tenant's sources wait to be analysed, with `StorageBoundReached` if it is new and
 * there is no room for it, and with `Busy` if the log does not take it.
 */
export const upload = Effect.fnUntraced(function* (
  holder: Pick<Holder, "tenant" | "secret"> & { readonly user: string | null },
  given: Upload,
  metadata: CommandMetadata
) {
  // an agent may send back what a search gave it, with the lines that the service wrote into it
  const task = given.task == null ? null : keptTask(given.task)
  const upload: Prepared = { ...given, source: yield* inSteps(strippingAnnotations(given.source)), task }
  const storage = yield* Storage
  const log = yield* EventStore
  const { language, completeness, text, functions } = yield* read(upload)
  const sourceDigest = yield* digestOf(holder.secret, upload)
  const month = monthIn(yield* Clock.currentTimeMillis)
  const { home, origin = "upload", succeeded, publish = false, vote = null, gradingCount = null } = upload

  const tryGeneration = (generation: number): ReturnType<typeof store> =>
    store(generation).pipe(Effect.catchTag("SnippetGone", () => tryGeneration(generation + 1)))

  /** The command for one generation. Running `outcome` stores it without checking for room. */
  const storing = (generation: number) => {
    const snippet = idOf(holder.secret, home, sourceDigest, generation)
    const commandId = uploadId(metadata.commandId, generation)
    const grading =
      vote === null && gradingCount !== null
        ? { request: upload.gradingRequest ?? derivedId("grading", commandId), count: gradingCount }
        : null
    const stream = `snippet-${snippet}`
    const stored = dispatch(Snippet, {
      tenant: holder.tenant,
      stream,
      command: SnippetCommand.UploadSnippet({
        snippet,
        home,
        generation,
        sourceDigest,
        origin,
        author: holder.user,
        language,
        completeness,
        succeeded,
        publish,
        text,
        logs: upload.logs ? { text: upload.logs, month } : null,
        vote,
        grading,
        functions,
        ...(upload.kind && { kind: upload.kind }),
        ...(upload.broughtVotes && { broughtVotes: upload.broughtVotes })
      }),
      ...metadata,
      commandId
    })
    const outcome = Effect.map(stored, (events) => ({ snippet, request: grading?.request ?? null, events }))
    return { stream, commandId, outcome }
  }

  const ids = idsOf(holder.secret, home, sourceDigest).pipe(
    Effect.provideService(SqlClient.SqlClient, yield* SqlClient.SqlClient),
    Effect.mapError(() => new Busy())
  )
  const more = Effect.map(ids, (ids) => ({ snippets: [ids], bytes: 0 }))

  /**
   * The same command may have stored this before there was no room: then it gets its first answer. Every generation is
   * tried, since the code may have been deleted before that command, or after it.
   */
  const before = Effect.fnUntraced(function* (refusal: StorageBoundReached) {
    for (const generation of (yield* ids).keys()) {
      const { stream, commandId, outcome } = storing(generation)
      const done = yield* Effect.mapError(log.outcome(stream, commandId), () => new Busy())
      if (done.length > 0) return yield* outcome
    }
    return yield* refusal
  })

  const store = (generation: number) =>
    storage
      .within({ tenant: holder.tenant, key: metadata.actor.key, more }, storing(generation).outcome)
      .pipe(Effect.catchTag("StorageBoundReached", before))

  const { snippet, request, events } = yield* tryGeneration(0)
  const first = events.map(({ event }) => event as SnippetEvent).find((event) => event._tag === "SnippetUploaded")
  const uploaded: Uploaded = {
    snippet,
    name: first?.text?.name ?? null,
    request,
    position: events.at(-1)?.position ?? beginning
  }
  return uploaded
})
