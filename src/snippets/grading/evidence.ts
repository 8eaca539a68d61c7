import { Effect } from "effect"
import { LRUCache } from "lru-cache"
import type { LogFile } from "#domain/Bundle.ts"
import type { DomainEvent } from "#domain/events.ts"
import type { SnippetEvent, UploadedText } from "#domain/Snippet/events.ts"
import { thousands } from "#domain/text/thousands.ts"
import type { Recorded } from "#engine/Event.ts"
import { eachOfStream } from "#engine/pages.ts"
import { sentWith } from "#src/snippets/bundle.ts"
import { ends, tail } from "./excerpt.ts"

/** Most characters that a grader is shown of a file, of all logs, and of what was asked for. */
const longest = { source: 60_000, logs: 20_000, asked: 20_000 }
/** The same of one log, if there are many. */
const shortest = 200

/** What a grader is shown of a snippet, with each text cut to what can be read. */
export interface Evidence {
  readonly path: string
  readonly language: string
  readonly source: string
  /** The task, or all prompts of the session that the file comes from. */
  readonly asked: string | null
  readonly succeeded: boolean
  readonly logs: string | null
  /** The task, as the upload has it. */
  readonly task: string | null
  readonly requested: Pick<Recorded<SnippetEvent>, "correlationId" | "eventId">
}

/** What the files of a bundle have in common. */
export type BundleEvidence = Pick<Evidence, "asked" | "logs">

const none: BundleEvidence = { asked: null, logs: null }

/** Evidence of the bundles that were graded last, by request, kept for their next files. */
export type BundlesAtHand = LRUCache<string, BundleEvidence>

/** Keeps the evidence of 64 bundles. */
export const makeBundles = (): BundlesAtHand => new LRUCache({ max: 64 })

/** The end of each log. */
const shownLogs = (logs: ReadonlyArray<LogFile>): string | null => {
  if (logs.length === 0) return null
  const texts = logs.filter(({ content }) => content !== null).length
  const share = Math.max(shortest, Math.floor(longest.logs / Math.max(1, texts)))
  const shown = logs.map(({ path, contentType, size, content }) => {
    const head = `--- ${path}${contentType === null ? "" : ` (${contentType})`}: ${thousands(size)} bytes`
    return content === null ? `${head}, not text` : `${head}\n${tail(content, share)}`
  })
  return tail(shown.join("\n"), longest.logs)
}

/** What a bundle's files have in common: a bundle's id is the request of their gradings. Nothing for other requests. */
const bundleOf = Effect.fnUntraced(function* (request: string, bundles: BundlesAtHand) {
  const known = bundles.get(request)
  if (known !== undefined) return known
  const { received, prompts, logs } = yield* sentWith(request)
  if (!received) return none
  const asked = prompts.length === 0 ? null : ends(prompts.join("\n\n"), longest.asked)
  const evidence = { asked, logs: shownLogs(logs) }
  bundles.set(request, evidence)
  return evidence
})

const sourceOf = ({ source, files }: UploadedText): string =>
  files === undefined ? source : files.map(({ path, content }) => `=== ${path}\n${content}`).join("\n")

type Case<T extends SnippetEvent["_tag"]> = Extract<SnippetEvent, { readonly _tag: T }>
type Uploaded = Case<"SnippetUploaded">
type TaskAdded = Case<"TaskAdded">

/** Events of a snippet that tell what a grading is about. */
const telling = new Set<string>(["SnippetUploaded", "TaskAdded", "LogsRecorded", "VoteRequested"] satisfies Array<
  SnippetEvent["_tag"]
>)

/** Reads what a grading is decided on; `undefined`: it is gone. */
export const evidenceOf = Effect.fnUntraced(function* (request: string, snippet: string, bundles: BundlesAtHand) {
  let first: Uploaded | undefined
  let latest: Recorded<Uploaded | TaskAdded> | undefined
  let printed: Recorded<Case<"LogsRecorded">> | undefined
  let asked:
    | {
        readonly requested: Evidence["requested"]
        readonly upload: Uploaded | TaskAdded
        readonly printed: string | undefined
      }
    | undefined
  // votes are left out: a snippet may have many
  const take = (recorded: Recorded<DomainEvent>) => {
    const { event, commandId } = recorded
    if (event._tag === "SnippetUploaded") first ??= event
    if (event._tag === "SnippetUploaded" || event._tag === "TaskAdded") latest = { ...recorded, event }
    if (event._tag === "LogsRecorded") printed = { ...recorded, event }
    // the upload that asked for it: its own path, task and logs, not those of the source's other uploads
    if (event._tag === "VoteRequested" && event.request === request && latest?.commandId === commandId)
      asked ??= {
        requested: recorded as Evidence["requested"],
        upload: latest.event,
        printed: printed?.commandId === commandId ? printed.event.text?.logs : undefined
      }
  }
  yield* eachOfStream(`snippet-${snippet}`, -1, take, telling)
  if (first === undefined || first.text === null || asked === undefined) return undefined
  const { requested, upload } = asked
  if (upload.text === null) return undefined
  const { path, task } = upload.text
  const logs = asked.printed ?? upload.text.logs
  const bundle = yield* bundleOf(request, bundles)
  const evidence: Evidence = {
    path,
    language: first.language,
    succeeded: upload.succeeded,
    task,
    requested,
    source: ends(sourceOf(first.text), longest.source),
    asked: bundle.asked ?? (task === null ? null : ends(task, longest.asked)),
    logs: bundle.logs ?? (logs === null ? null : tail(logs, longest.logs))
  }
  return evidence
})
