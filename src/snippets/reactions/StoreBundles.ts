import { Effect, Schedule } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { Bundle, BundleCommand, type BundleEvent, bundleStream, type LeftOutFile } from "#domain/Bundle.ts"
import type { NewVote } from "#domain/Snippet/commands.ts"
import { fresh } from "#engine/ask.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import type { Recorded } from "#engine/Event.ts"
import { passes } from "#ports/passes.ts"
import { WorkingFor } from "#ports/Workers.ts"
import { tenantOf } from "#projections/Keys/organizations.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { reaction } from "#src/reaction.ts"
import { sentWith, storedId } from "#src/snippets/bundle.ts"
import { observedIn, upload as storeFile } from "#src/snippets/store.ts"

type Case<T extends BundleEvent["_tag"]> = Extract<BundleEvent, { readonly _tag: T }>
type Received = Recorded<Case<"UploadReceived">>
type Text = NonNullable<Case<"UploadReceived">["text"]>

/** Files that are stored at once: their events go to the log together. */
const atOnce = 16

/** All logs that came with a bundle, for what they tell of its functions. */
const logsOf = Effect.fnUntraced(function* (bundle: string) {
  const { logs } = yield* sentWith(bundle)
  const texts = logs.flatMap(({ content }) => content ?? [])
  return texts.length === 0 ? null : texts.join("\n")
})

/** Stores the files. Gives the snippet that has each, and the files that can't be stored. */
const storeAll = Effect.fnUntraced(function* ({ event, ...envelope }: Received, text: Text) {
  const { upload: bundle, home, count, graded, source, tracked } = event
  const { eventId, correlationId, actor, tenant } = envelope
  yield* fresh(Keys)
  const owner = yield* tenantOf(tenant)
  // the tenant was erased meanwhile
  if (owner === undefined) return { stored: [], leftOut: [] }
  const { files, task, workspace, agent, origin } = text
  const shared = tracked ? yield* observedIn((yield* logsOf(bundle)) ?? "") : null
  const first = new Map<string, number>()
  for (const [index, { content }] of files.entries()) if (!first.has(content)) first.set(content, index)
  const leftOut: Array<LeftOutFile> = []
  const stored = yield* Effect.forEach(
    files,
    ({ path, content, vote: value }, index) => {
      const vote: NewVote | null = value === null ? null : { value, count, source, origin }
      // one source is one snippet, and is graded once
      const gradingCount = graded && first.get(content) === index ? count : null
      return storeFile(
        { tenant, secret: owner.secret, user: actor.user },
        {
          home,
          workspace,
          agent,
          path,
          source: content,
          task,
          // nobody says of a bundle whether its task succeeded
          succeeded: true,
          vote,
          gradingCount,
          gradingRequest: bundle,
          tracked,
          shared
        },
        { commandId: derivedId("bulk", bundle, index), correlationId, causationId: eventId, actor }
      ).pipe(
        Effect.provideService(WorkingFor, tenant),
        Effect.retry({ while: ({ _tag }) => _tag === "TooMuchWaits", schedule: Schedule.spaced("1 second") }),
        Effect.map((one) => [one]),
        Effect.catchTag("StorageBoundReached", ({ bound, of, limit, used, asked }) => {
          leftOut.push({ file: index, bound: { bound, of, limit, used, asked } })
          return Effect.succeed([])
        }),
        // a file that can't be stored, now or ever, must not hold up all the others, and later bundles
        Effect.catchDefect((defect) => {
          // if the store is away, it is away for all files: the bundle begins again
          if (isSqlError(defect) && passes(defect)) return Effect.die(defect)
          leftOut.push({ file: index, bound: null })
          return Effect.as(
            Effect.logError("a file of a bundle could not be stored", defect instanceof Error ? defect.name : ""),
            []
          ).pipe(Effect.annotateLogs({ bundle, file: index }))
        })
      )
    },
    { concurrency: atOnce }
  )
  return { stored: stored.flat(), leftOut: leftOut.sort((one, other) => one.file - other.file) }
})

/**
 * Stores the files of a bundle, even if the process that received it was killed meanwhile. The caller waits for
 * `UploadStored`.
 */
export const StoreBundles = reaction({
  // the name that its checkpoint has had since bundles were called uploads
  name: "store_uploads",
  on: ["UploadReceived"],
  needsText: true,
  handle: (received) =>
    Effect.gen(function* () {
      const { event, eventId, correlationId, actor, tenant } = received
      const { upload: bundle, text } = event
      // stored already
      if (text === null) return
      const { stored, leftOut } = yield* storeAll(received, text)
      const command = BundleCommand.CompleteBundle({
        bundle,
        files: stored.length,
        snippets: [...new Set(stored.map(({ snippet }) => snippet))],
        gradings: new Set(stored.flatMap(({ request, snippet }) => (request === null ? [] : [snippet]))).size,
        ...(leftOut.length > 0 && { leftOut })
      })
      yield* dispatch(Bundle, {
        tenant,
        stream: bundleStream(bundle),
        command,
        commandId: storedId(bundle),
        correlationId,
        causationId: eventId,
        actor
      })
    })
})
