import { Effect } from "effect"
import { filename } from "#domain/filename.ts"
import { idIn } from "#domain/Id.ts"
import { keptTask } from "#domain/keptTask.ts"
import type { RepositoryFile } from "#domain/Repository/files.ts"
import type { Holder, Scope } from "#domain/Scope.ts"
import { type NewVote, SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import type { UploadRequest } from "#src/api/Snippets/upload.ts"
import { counted } from "#src/counted.ts"
import { KnownSnippets } from "#src/snippets/knownSnippets.ts"
import type { Screened } from "#src/snippets/screen.ts"
import { isGraded, sourceOf } from "../voting.ts"

/** The caller's own vote on each file; `null`: they gave none. `agent`: an agent makes the request, see `sourceOf`. */
export const voteOf = ({ user_vote, vote_source, vote_count }: UploadRequest, agent: boolean): NewVote | null => {
  if (user_vote == null) return null
  return { value: user_vote, count: vote_count ?? 1, ...sourceOf(vote_source, agent) }
}

/** How many votes the service's verdict counts for; `null`: the request does not ask for one. */
export const gradingOf = (request: UploadRequest): number | null =>
  isGraded(request) ? (request.vote_count ?? 1) : null

/** The kind that the uploader gives the file. One that is called a repository becomes a repository of a single file. */
export const kindOf = (
  { content_type }: UploadRequest,
  { path, content }: RepositoryFile
): { readonly kind?: "route" | "script" | "repo"; readonly files?: ReadonlyArray<RepositoryFile> } => {
  if (content_type === "route" || content_type === "script") return { kind: content_type }
  if (content_type !== "repo") return {}
  const name = filename({ path, name: "", language: "", id: "" }, new Set())
  return { kind: "repo", files: [{ path: name, content }] }
}

/** The texts that everyone would see of a public upload. Logs stay with the uploader. */
export const publicTexts = (request: UploadRequest): ReadonlyArray<Screened> => {
  const { file_written, files_written, task, tags, dependencies } = request
  const files = [
    ...(file_written == null ? [] : [{ field: "file_written", ...file_written }]),
    ...(files_written ?? []).map((file, index) => ({ field: `files_written.${index}`, ...file }))
  ]
  return [
    ...files.flatMap(({ field, path, content }) => [
      { field: `${field}.content`, path, text: content },
      { field: `${field}.path`, path: "", text: path }
    ]),
    { field: "task", path: "", text: keptTask(task) },
    { field: "tags", path: "", text: (tags ?? []).join("\n") },
    { field: "dependencies", path: "", text: JSON.stringify(dependencies ?? {}) }
  ]
}

/**
 * Votes on the snippets that were found and used for the task, for or against by how the task went. The votes go to
 * other streams than the upload, with ids derived from the upload's: the same request sent again adds those that are
 * missing. Gives the outcome in words for the uploader.
 */
export const voteForUsed = Effect.fnUntraced(function* (
  request: UploadRequest,
  { user }: Holder,
  scope: Scope,
  metadata: CommandMetadata,
  agent: boolean
) {
  const given = [
    ...new Set((request.cached_code_blocks ?? []).map(({ code_block_id }) => idIn(code_block_id) ?? code_block_id))
  ]
  if (given.length === 0) return ""
  const { seen } = yield* KnownSnippets
  let voted = 0
  for (const snippet of given) {
    const known = idIn(snippet) !== undefined ? yield* seen(scope, snippet) : undefined
    if (known === undefined) continue
    // whether it helped is an agent's judgement, unless a person says that it is theirs
    const source = request.vote_source === "human" && !agent ? "human" : "ai"
    const vote = { value: request.succeeded ? 1 : -1, count: 1, source, origin: null, home: scope.home } as const
    const command = SnippetCommand.CastVote({ snippet, voter: user, task: keptTask(request.task), vote })
    const commandId = derivedId("used", metadata.commandId, snippet)
    const cast = dispatch(Snippet, {
      tenant: known.tenant,
      stream: `snippet-${snippet}`,
      command,
      ...metadata,
      commandId,
      request: null
    })
    // the snippet may have been deleted since
    voted += yield* cast.pipe(
      Effect.as(1),
      Effect.catchTags({ SnippetNotFound: () => Effect.succeed(0), SnippetGone: () => Effect.succeed(0) })
    )
  }
  const unknown = given.length - voted
  const ignored =
    unknown === 0
      ? ""
      : ` ${counted(unknown, "id")} in cached_code_blocks ${unknown === 1 ? "is" : "are"} unknown here and ignored.`
  return `${voted === 0 ? "" : ` Voted on ${counted(voted, "snippet")} that ${voted === 1 ? "was" : "were"} used.`}${ignored}`
})
