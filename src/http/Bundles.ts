import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Bundle, BundleCommand, bundleStream, type LeftOutFile, type LogFile } from "#domain/Bundle.ts"
import { StorageBoundReached } from "#domain/bounded.ts"
import { filename } from "#domain/filename.ts"
import { fileVotes } from "#domain/fileVotes.ts"
import { idIn } from "#domain/Id.ts"
import { readLog } from "#domain/logFile.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import { inSteps } from "#engine/pages.ts"
import { LanguageModel } from "#ports/LanguageModel.ts"
import { Gradings, gradingsOf, type ListedGrading } from "#projections/Gradings.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Api } from "#src/api/Api.ts"
import type { BundleRequest, GradingStatus } from "#src/api/Bundles.ts"
import { invalidFields, seeDocs } from "#src/api/invalid.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { counted } from "#src/counted.ts"
import { whenStored } from "#src/snippets/bundle.ts"
import { told } from "#src/usage/bounds.ts"
import { commandMetadata, freshOrStale, written } from "./answer.ts"
import { orProblem } from "./refusals.ts"
import { withRoom } from "./screening.ts"
import { byAgent, ignoredVoting, isGraded, sourceOf } from "./voting.ts"

/** The most characters of the prompts by which searches find the snippets; the grader reads on. */
const longestTask = 4_000

const taskOf = (prompts: ReadonlyArray<string>): string | null =>
  prompts.length === 0 ? null : prompts.join("\n\n").slice(0, longestTask).toWellFormed()

/** The caller's own votes; if there are none, whether the files are to be graded. */
const votingOf = (request: BundleRequest, agent: boolean) => {
  const paths = request.files_written.map(({ path }) => path)
  const { votes } = fileVotes(paths, request.user_votes)
  return {
    votes,
    graded: votes.size === 0 && isGraded(request),
    count: request.vote_count ?? 1,
    ...sourceOf(request.vote_source, agent)
  }
}

const notBase64 = "is not base64; expected its standard alphabet with padding, or encoding utf-8"

/** The log files' contents; fails if one is not base64 although it says so. */
const logsOf = Effect.fnUntraced(function* ({ log_files }: BundleRequest) {
  const logs: Array<LogFile> = []
  for (const [index, { path, content, encoding, content_type }] of (log_files ?? []).entries()) {
    const sent = { path, content, encoding: encoding ?? "utf-8", contentType: content_type ?? null }
    const log = yield* inSteps(readLog(sent))
    if (log === undefined) {
      return yield* invalidFields([{ field: `log_files.${index}.content`, message: notBase64 }], seeDocs)
    }
    logs.push(log)
  }
  return logs
})

/** The most files that a message names for one reason. */
const mostNamed = 10

/** Says which files were not stored, and why, grouped by reason; empty: all were stored. */
const missing = (
  files: ReadonlyArray<{ readonly path: string }>,
  left: number,
  leftOut: ReadonlyArray<LeftOutFile> = []
): string => {
  if (left === 0) return ""
  const reasonOf = ({ bound }: LeftOutFile) =>
    bound === null ? "The service's log says why." : told(new StorageBoundReached(bound))
  const bounded = [...Map.groupBy(leftOut, ({ bound }) => bound && `${bound.bound} of ${bound.of}`)].map(
    ([, those]) => {
      const named = those.slice(0, mostNamed).map(({ file }) => JSON.stringify(files[file]?.path ?? ""))
      const more = those.length > named.length ? ` and ${those.length - named.length} more` : ""
      // files are stored one after another, so the last reason has the final usage
      return `${named.join(", ")}${more}. ${reasonOf(those.at(-1)!)}`
    }
  )
  const said = bounded.length === 0 ? "the service's log says why." : bounded.join(" ")
  return ` ${counted(left, "file")} could not be stored: ${said}`
}

const notFound = fieldProblem(
  "not_found/status",
  "id",
  "You have no grading with this id. Use the status_url that an upload answered with; it goes with the last of its snippets."
)

const noModel =
  "No language model is configured, so that nothing is graded yet. The operator can set ANTHROPIC_API_KEY and start the service again; what was asked for more than 7 days before that gets no verdict."
const expired = "The grading was asked for more than 7 days before a language model was configured."

const verdicts = { "1": "thumbs_up", "-1": "thumbs_down" } as const
/** `null`: there will be none. */
const verdictOf = ({ verdict, state }: ListedGrading): GradingStatus["votes"][number]["verdict"] => {
  if (verdict !== null) return verdicts[String(verdict) as keyof typeof verdicts]
  return state === "pending" ? "pending" : null
}

const statusOf = (id: string, gradings: ReadonlyArray<ListedGrading>, canBeAsked: boolean): GradingStatus => {
  const taken = new Set<string>()
  const votes = gradings.map((grading) => ({
    snippet_id: grading.snippet,
    filename: filename({ ...grading, id: grading.snippet }, taken),
    verdict: verdictOf(grading),
    reason: grading.state === "cancelled" ? expired : grading.reason
  }))
  const count = (wanted: ListedGrading["state"]) => gradings.filter(({ state }) => state === wanted).length
  const all = counted(gradings.length, "file")
  const pending = count("pending")
  if (pending > 0) {
    const reason = canBeAsked ? `${gradings.length - pending} of ${all} graded; the others follow.` : noModel
    return { id, status: "pending", reason, votes }
  }
  const without = count("failed") + count("cancelled")
  if (without === 0) return { id, status: "done", reason: null, votes }
  return { id, status: "failed", reason: `${without} of ${all} got no verdict; each vote says why.`, votes }
}

export const layer = HttpApiBuilder.group(Api, "uploads", (handlers) =>
  handlers
    .handle("bulkUpload", ({ payload }) =>
      Effect.gen(function* () {
        const { tenant } = yield* Caller
        const { home, workspace, agent } = yield* CallerScope
        const metadata = yield* commandMetadata
        const bundle = derivedId("upload", metadata.commandId)
        yield* withRoom(payload.files_written.map(({ content }) => ({ home, source: content })))
        const agents = yield* byAgent
        const { votes, ...voting } = votingOf(payload, agents)
        const { graded, count, source, origin } = voting
        const logs = yield* logsOf(payload)
        const files = payload.files_written.map((file) => ({ ...file, vote: votes.get(file.path) ?? null }))
        const command = BundleCommand.ReceiveBundle({
          bundle,
          home,
          count,
          graded,
          source,
          tracked: payload.per_function_reputation ?? false,
          text: { files, task: taskOf(payload.prompts), workspace, agent, origin },
          evidence: { prompts: payload.prompts, logs }
        })
        yield* dispatch(Bundle, { tenant, stream: bundleStream(bundle), command, ...metadata })
        const { stored, position } = yield* whenStored(bundle)
        yield* written(position)
        const queued = stored.gradings > 0 ? ` ${counted(stored.gradings, "grading")} queued.` : ""
        const ignored = ignoredVoting(payload, {
          voted: votes.size > 0,
          field: "user_votes",
          used: false,
          agent: agents
        })
        const snippets = stored.snippets.length
        // files with the same content are one snippet
        const as = snippets < stored.files ? ` as ${counted(snippets, "snippet")}, for some have the same content` : ""
        const left = files.length - stored.files
        return {
          success: left === 0,
          code_blocks_stored: snippets,
          votes_queued: stored.gradings,
          message: `Stored ${counted(stored.files, "file")}${as}.${queued}${missing(files, left, stored.leftOut)}${ignored}`,
          status_url: stored.gradings > 0 ? `/api/store/status/${bundle}` : null
        }
      }).pipe(orProblem)
    )
    .handle("gradingStatus", ({ params }) =>
      Effect.gen(function* () {
        const { tenant } = yield* Caller
        const id = idIn(params.id.replace(/^ert_/, ""))
        if (id === undefined) return yield* notFound
        yield* Effect.all([freshOrStale(Gradings), freshOrStale(Snippets)])
        const gradings = yield* Effect.orDie(gradingsOf(tenant, id))
        if (gradings.length === 0) return yield* notFound
        return statusOf(params.id, gradings, (yield* LanguageModel).canBeAsked)
      }).pipe(orProblem)
    )
)
