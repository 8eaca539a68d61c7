import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { idIn } from "#domain/Id.ts"
import { stretches } from "#domain/jsonPieces.ts"
import { keptTask } from "#domain/keptTask.ts"
import { SourceAnalysis } from "#ports/SourceAnalysis.ts"
import { filesJson } from "#projections/Snippets/queries.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Api } from "#src/api/Api.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import type { StoreRepoRequest } from "#src/api/Repos.ts"
import { counted } from "#src/counted.ts"
import { Places } from "#src/places.ts"
import { repositoryFiles } from "#src/repositoryFiles.ts"
import type { Screened } from "#src/screen.ts"
import { upload } from "#src/upload.ts"
import { attempting, freshOrStale, written } from "./answer.ts"
import { sentInPieces } from "./pieces.ts"
import { orProblem } from "./refusals.ts"
import { screened } from "./screening.ts"

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
    ...{ kind: "repo" as const, files, path: `${analysis.name}.md`, task },
    ...{ dependencies: dependencies ?? {}, tags: tags ?? [] },
    ...analysis
  }
})

/** What everyone would see of it; its name and description come from the files. */
const publicTexts = ({ files, task, name, description, tags, dependencies }: StoreRepoRequest): Array<Screened> => [
  ...files!.flatMap(({ path, content }, index) => [{ field: `files.${index}.content`, path, text: content }]),
  { field: "files", path: "", text: files!.map(({ path }) => path).join("\n") },
  { field: "task", path: "", text: keptTask(task) },
  { field: "name", path: "", text: name ?? "" },
  { field: "description", path: "", text: description ?? "" },
  { field: "tags", path: "", text: (tags ?? []).join("\n") },
  { field: "dependencies", path: "", text: JSON.stringify(dependencies ?? {}) }
]

/** The place of a repository that the request's scope sees. */
const seen = Effect.fnUntraced(function* (given: string) {
  const id = idIn(given)
  const place = id === undefined ? undefined : yield* (yield* Places).seen(yield* CallerScope, id)
  if (id === undefined || place === undefined) return yield* notFound
  yield* freshOrStale(Snippets)
  return place
})

/** The files of a repository that the request's scope sees. */
export const storedFiles = Effect.fnUntraced(function* (given: string) {
  const files = yield* Effect.orDie(repositoryFiles((yield* seen(given)).id))
  return files ?? (yield* notFound)
}, orProblem)

/** A repository with its files, as the database has their JSON. */
const repository = Effect.fnUntraced(function* (given: string) {
  const { id, name } = yield* seen(given)
  const files = yield* Effect.orDie(filesJson(id))
  if (files === undefined) return yield* notFound
  const head = JSON.stringify({ repo_id: id, name }).slice(0, -1)
  const pieces = function* () {
    yield `${head},"files":`
    yield* stretches(files)
    yield "}"
  }
  return sentInPieces(pieces())
}, orProblem)

export const layer = HttpApiBuilder.group(Api, "repos", (handlers) =>
  handlers
    .handle("storeRepo", ({ payload }) =>
      Effect.gen(function* () {
        const holder = yield* Caller
        const { home, workspace, agent } = yield* CallerScope
        const repository = yield* described(payload)
        if (payload.public === true) yield* screened(publicTexts(payload), holder, [{ home, ...repository }])
        const { snippet, position } = yield* upload(
          holder,
          {
            ...{ home, workspace, agent, origin: "upload", logs: null, succeeded: true },
            ...{ publish: payload.public ?? false, vote: null, gradingCount: null },
            ...repository
          },
          yield* attempting
        )
        yield* written(position)
        return {
          success: true,
          repo_id: snippet,
          message: `Stored 1 repository of ${counted(payload.files!.length, "file")}.`
        }
      }).pipe(orProblem)
    )

    .handle("repo", ({ params: { id } }) => repository(id))
)
