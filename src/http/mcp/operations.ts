import { Cause, Context, Effect, Stream } from "effect"
import type { Operation } from "#domain/access/operations.ts"
import { refusalOf } from "#domain/access/permitted.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem, type Problem } from "#src/api/Problem.ts"
import type { Call } from "#src/mcp/Operations.ts"
import { Parts } from "#src/mcp/Parts.ts"
import { once } from "../middleware/idempotency.ts"
import { explained } from "../middleware/problems.ts"
import { havingRoom } from "../nearlyFull.ts"
import { taskPatterns } from "../Patterns.ts"
import { textOf } from "../pieces.ts"
import { snippetPage } from "../Raw.ts"
import { repositoryFile } from "../Repos.ts"
import { problemOf } from "../refusals.ts"
import { search } from "../Snippets/search.ts"
import { storeFiles, vote } from "../Snippets.ts"
import { skill } from "../System.ts"
import { fileIn, firstFilesIn } from "../Workspaces/reading.ts"
import { ownWorkspaces } from "../Workspaces.ts"
import { watchedChat } from "./watching.ts"

/** The same check as the route's middleware: a key that may not call the route may not do it with a tool. */
const permitted = (name: Operation) =>
  Effect.flatMap(Caller, (holder) => {
    const refusal = refusalOf(holder, name)
    return refusal === undefined ? havingRoom(name) : Effect.fail(problemOf(refusal))
  })

/** A route's function as an operation: it has the services that it needs, and fails with problems only. */
const operation = <P, A, E, R>(name: Operation, run: (given: P) => Effect.Effect<A, E, R>) =>
  Effect.map(
    Effect.context<Exclude<R, Call>>(),
    (services) => (given: P) =>
      (Effect.andThen(permitted(name), run(given)) as Effect.Effect<A, E | Problem, R>).pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause as Cause.Cause<never>)
            : Effect.flatMap(explained(cause), Effect.fail)
        ),
        // the request's services take precedence over those of the service's start
        Effect.updateContext((request: Context.Context<Call>) => Context.merge(services, request) as Context.Context<R>)
      ) as Effect.Effect<A, Problem, Call>
  )

/** An operation that writes. A repeat shows by its arguments, as over REST: a message's id only tells answers apart. */
const writing = <P, A, E, R>(name: Operation, tool: string, run: (given: P) => Effect.Effect<A, E, R>) =>
  operation(name, (given: P) => once({ route: `MCP ${tool}`, body: given, key: undefined }, run(given)))

interface FileOf {
  readonly id: string
  readonly path: string
}

const noFile = fieldProblem("not_found/file", "path", "The repository has no such file.")

const fileInRepository = Effect.fnUntraced(function* ({ id, path }: FileOf) {
  const content = yield* repositoryFile(id, path)
  return content === undefined ? yield* noFile : new TextEncoder().encode(content)
})

/** A search whose matches are read later, with the services that this needs. */
const searching = Effect.fnUntraced(function* (payload: Parameters<typeof search>[0]) {
  const { matches, total, mended, fallback, stale, answer } = yield* search(payload)
  const services = yield* Effect.context<Stream.Services<typeof matches>>()
  const parts = yield* Parts
  return {
    matches: Stream.catchCause(Stream.provideContext(matches, services), (cause) =>
      Stream.fromEffect(Effect.flatMap(explained(cause), Effect.fail))
    ),
    total,
    mended,
    fallback,
    stale,
    answer: parts.stream(Stream.provideContext(textOf(answer), services))
  }
})

/** What MCP offers, by the functions that the routes call. */
export const operations = Effect.all({
  search: operation("snippets.search", searching),
  upload: writing("snippets.upload", "upload", storeFiles),
  vote: writing("snippets.vote", "vote", vote),
  patterns: operation("patterns.taskPatterns", taskPatterns),
  chat: writing("chat.chat", "chat", watchedChat),
  workspaces: operation("workspaces.listWorkspaces", () => ownWorkspaces({})),
  files: operation("workspaces.tree", ({ id, most }: { readonly id: string; readonly most: number }) =>
    firstFilesIn(id, most)
  ),
  file: operation("workspaces.file", ({ id, path, most }: FileOf & { readonly most: number }) =>
    fileIn(id, path, most)
  ),
  snippet: operation("raw.rawSnippet", ({ id }: { readonly id: string }) => snippetPage(id)),
  repositoryFile: operation("repos.repo", fileInRepository),
  skill: Effect.succeed(skill)
})
