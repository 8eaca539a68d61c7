import { Cause, Context, Effect, Stream } from "effect"
import { fieldProblem, type Problem } from "#src/api/Problem.ts"
import type { Call } from "#src/mcp/Operations.ts"
import { Parts } from "#src/mcp/Parts.ts"
import { chat } from "../Chat.ts"
import { once } from "../middleware/idempotency.ts"
import { explained } from "../middleware/problems.ts"
import { taskPatterns } from "../Patterns.ts"
import { textOf } from "../pieces.ts"
import { snippetPage } from "../Raw.ts"
import { repositoryFile } from "../Repos.ts"
import { search } from "../Snippets/search.ts"
import { storeFiles, vote } from "../Snippets.ts"
import { skill } from "../System.ts"
import { fileIn, firstFilesIn, ownWorkspaces } from "../Workspaces.ts"

/** A function of the routes as an operation: it has what it needs, and fails with problems only. */
const operation = <P, A, E, R>(run: (given: P) => Effect.Effect<A, E, R>) =>
  Effect.map(
    Effect.context<Exclude<R, Call>>(),
    (services) => (given: P) =>
      run(given).pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause as Cause.Cause<never>)
            : Effect.flatMap(explained(cause), Effect.fail)
        ),
        // what the request brings goes before what was there when the service started
        Effect.updateContext((request: Context.Context<Call>) => Context.merge(services, request) as Context.Context<R>)
      ) as Effect.Effect<A, Problem, Call>
  )

/** A message's id tells answers apart, no more; that a write is the same again shows by its arguments, as over REST. */
const writing = <P, A, E, R>(tool: string, run: (given: P) => Effect.Effect<A, E, R>) =>
  operation((given: P) => once({ route: `MCP ${tool}`, body: given, key: undefined }, run(given)))

interface FileOf {
  readonly id: string
  readonly path: string
}

const noFile = fieldProblem("not_found/file", "path", "The repository has no such file.")

const fileInRepository = Effect.fnUntraced(function* ({ id, path }: FileOf) {
  const content = yield* repositoryFile(id, path)
  return content === undefined ? yield* noFile : new TextEncoder().encode(content)
})

/** What is read only later has what it needs, too. */
const searching = Effect.fnUntraced(function* (payload: Parameters<typeof search>[0]) {
  const { matches, total, answer } = yield* search(payload)
  const services = yield* Effect.context<Stream.Services<typeof matches>>()
  const parts = yield* Parts
  return {
    matches: Stream.catchCause(Stream.provideContext(matches, services), (cause) =>
      Stream.fromEffect(Effect.flatMap(explained(cause), Effect.fail))
    ),
    total,
    answer: parts.stream(Stream.provideContext(textOf(answer), services))
  }
})

/** What MCP offers, by the functions that the routes call. */
export const operations = Effect.all({
  search: operation(searching),
  upload: writing("upload", storeFiles),
  vote: writing("vote", vote),
  patterns: operation(taskPatterns),
  chat: writing("chat", chat),
  workspaces: operation(() => ownWorkspaces({})),
  files: operation(({ id, most }: { readonly id: string; readonly most: number }) => firstFilesIn(id, most)),
  file: operation(({ id, path, most }: FileOf & { readonly most: number }) => fileIn(id, path, most)),
  snippet: operation(({ id }: { readonly id: string }) => snippetPage(id)),
  repositoryFile: operation(fileInRepository),
  skill: Effect.succeed(skill)
})
