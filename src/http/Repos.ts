import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { idIn } from "#domain/Id.ts"
import { keptTask } from "#domain/keptTask.ts"
import { SourceAnalysis } from "#ports/SourceAnalysis.ts"
import { fileNamed, fileSizes, filesAt } from "#projections/Snippets/queries.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Api } from "#src/api/Api.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import type { StoreRepoRequest } from "#src/api/Repos.ts"
import { counted } from "#src/counted.ts"
import { slight } from "#src/portions.ts"
import { KnownSnippets } from "#src/snippets/knownSnippets.ts"
import type { Screened } from "#src/snippets/screen.ts"
import { upload } from "#src/snippets/store.ts"
import { commandMetadata, freshOrStale, written } from "./answer.ts"
import { Answers, byPortions, copies } from "./answers.ts"
import { inPieces } from "./pieces.ts"
import { orProblem } from "./refusals.ts"
import { screened, withRoom } from "./screening.ts"

const notFound = fieldProblem(
  "not_found/repo",
  "id",
  "No repository of this request's scope has this id. A match's download_url has it; check the workspace header too."
)

const described = Effect.fnUntraced(function* (request: StoreRepoRequest) {
  const { dependencies, tags } = request
  const task = keptTask(request.task)
  const files = [...request.files!].sort((one, other) => (one.path < other.path ? -1 : 1))
  const given = { task, name: request.name ?? null, description: request.description ?? null }
  const analysis = yield* (yield* SourceAnalysis).analyseRepository(files, given)
  return {
    kind: "repo" as const,
    files,
    path: `${analysis.name}.md`,
    task,
    dependencies: dependencies ?? {},
    tags: tags ?? [],
    ...analysis
  }
})

/** The texts that everyone would see. A name or description that is not given comes from the files. */
const publicTexts = ({ files, task, name, description, tags, dependencies }: StoreRepoRequest): Array<Screened> => [
  ...files!.flatMap(({ path, content }, index) => [{ field: `files.${index}.content`, path, text: content }]),
  { field: "files", path: "", text: files!.map(({ path }) => path).join("\n") },
  { field: "task", path: "", text: keptTask(task) },
  { field: "name", path: "", text: name ?? "" },
  { field: "description", path: "", text: description ?? "" },
  { field: "tags", path: "", text: (tags ?? []).join("\n") },
  { field: "dependencies", path: "", text: JSON.stringify(dependencies ?? {}) }
]

/** A repository that the request's scope sees. */
const seen = Effect.fnUntraced(function* (given: string) {
  const id = idIn(given)
  const known = id === undefined ? undefined : yield* (yield* KnownSnippets).seen(yield* CallerScope, id)
  if (id === undefined || known === undefined) return yield* notFound
  yield* freshOrStale(Snippets)
  return { id, name: known.name }
})

/**
 * A file of a repository that the request's scope sees; `undefined`: the repository has no such path. A large file
 * waits for room.
 */
export const repositoryFile = Effect.fnUntraced(function* (given: string, path: string) {
  const { id } = yield* seen(given)
  const found = yield* Effect.orDie(fileNamed(id, path, slight))
  if (found === undefined) return undefined
  if (found.content !== null) return found.content
  yield* (yield* Answers).take(copies * found.bytes)
  return (yield* Effect.orDie(fileNamed(id, path)))?.content ?? undefined
}, orProblem)

/** How many bytes of files one read takes: each read goes through the whole repository. */
const atOnce = 2 * 1024 * 1024

/** Groups of neighbouring files, each as large as one read. */
const neighbours = (sizes: ReadonlyArray<{ readonly place: number; readonly bytes: number }>) => {
  const groups: Array<{ places: Array<number>; bytes: number }> = []
  for (const { place, bytes } of sizes) {
    let last = groups.at(-1)
    if (last === undefined || last.bytes + bytes > atOnce) {
      last = { places: [], bytes: 0 }
      groups.push(last)
    }
    last.places.push(place)
    last.bytes += bytes
  }
  return groups
}

/** A repository with its files, as an answer that is written while it is read. */
const whole = Effect.fnUntraced(function* (given: string) {
  const { id, name } = yield* seen(given)
  const sizes = yield* Effect.orDie(fileSizes(id))
  if (sizes.length === 0) return yield* notFound
  const rows = byPortions(neighbours(sizes), (groups) =>
    Effect.orDie(
      filesAt(
        id,
        groups.flatMap(({ places }) => places)
      )
    )
  )
  return yield* inPieces({ repo_id: { value: id }, name: { value: name }, files: { rows } })
}, orProblem)

export const layer = HttpApiBuilder.group(Api, "repos", (handlers) =>
  handlers
    .handle("storeRepo", ({ payload }) =>
      Effect.gen(function* () {
        const holder = yield* Caller
        const { home, workspace, agent } = yield* CallerScope
        yield* withRoom([{ home, source: "", files: payload.files! }])
        const repository = yield* described(payload)
        if (payload.public === true) yield* screened(publicTexts(payload), holder, [{ home, ...repository }])
        const { snippet, position } = yield* upload(
          holder,
          {
            home,
            workspace,
            agent,
            succeeded: true,
            publish: payload.public ?? false,
            ...repository
          },
          yield* commandMetadata
        )
        yield* written(position)
        return {
          success: true,
          repo_id: snippet,
          message: `Stored 1 repository of ${counted(payload.files!.length, "file")}.`
        }
      }).pipe(orProblem)
    )

    .handle("repo", ({ params: { id } }) => whole(id))
)
