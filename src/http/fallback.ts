import { Effect, Layer, Predicate, type Types } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Api } from "#src/api/Api.ts"
import { Problem } from "#src/api/Problem.ts"
import { paths as community } from "./community.ts"
import { paths } from "./console.ts"
import { answering } from "./middleware/problems.ts"

/** A route's pattern as a regular expression: `:name` is one part, `*` the rest. */
const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replace(/[.]/g, "\\.")
      .replace(/:[^/]+/g, "[^/]+")
      .replace(/\*/g, ".+")}/?$`
  )

/** Routes that are no operations of the API. */
const others = [
  ...[...paths, ...community, "/assets/*"].map((path) => ({ method: "GET", path })),
  { method: "GET", path: "/docs" },
  { method: "GET", path: "/openapi.json" },
  { method: "GET", path: "/git/*" },
  { method: "POST", path: "/git/*" }
]

const routes = Object.values(Api.groups)
  .flatMap((group) =>
    Object.values(group.endpoints as Record<string, { readonly method: string; readonly path: string }>)
  )
  .concat(others)
  .map(({ method, path }) => ({ method, pattern: patternOf(path) }))

/** Routes that existing clients ask for and this service does not have, with what to do instead. */
const notOffered: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /^\/api\/execute\//,
    "This service does not run code that calls back into its client. Run it where the client is, and send what came of it to /api/store/execution."
  ],
  [
    /^\/api\/sharedCode$/,
    "This service does not generate shared code. Public snippets are found with /api/snippets/public/search, and stored with public: true of an upload."
  ],
  [
    /^\/api\/agents\/heartbeat$/,
    "This service does not watch agents, and takes no heartbeats. What they did is told by /api/retrieve/executions and /api/events."
  ],
  [
    /^\/api\/logs\/(ingest$|hash\/)/,
    "This service keeps no logs by hash. Send logs with an upload, as execution_logs; they are found with /api/raw/search."
  ],
  [
    /^\/api\/retrieve\/(code-blocks|best-for-task|code-files)$/,
    "Clients before version 0.6.11 are not served. Take a later one, which asks /api/retrieve/search."
  ]
]

const answer = Effect.gen(function* () {
  const { method, url } = yield* HttpServerRequest.HttpServerRequest
  const path = url.split("?")[0]!
  const allowed = routes.filter(({ pattern }) => pattern.test(path)).map((route) => route.method)
  // a path that can't be decoded may match a route's pattern, and yet no route takes it
  if (allowed.length === 0 || allowed.includes(method)) {
    const instead = notOffered.find(([pattern]) => pattern.test(path))?.[1]
    return yield* answering(
      new Problem({
        code: "not_found/route",
        message: instead ?? "There is no such route. /docs lists those that there are."
      })
    )
  }
  const methods = allowed.join(", ")
  const problem = new Problem({
    code: "method/not_allowed",
    message: `This route does not take ${method}. It takes ${methods}.`
  })
  return HttpServerResponse.setHeader(yield* answering(problem), "allow", methods)
})

const isRouteNotFound = (error: unknown): boolean =>
  Predicate.isTagged(error, "HttpServerError") &&
  Predicate.hasProperty(error, "reason") &&
  Predicate.isTagged(error.reason, "RouteNotFound")

type Answering<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, R>

const orAnswer = (httpEffect: Answering<never>): Answering<HttpServerRequest.HttpServerRequest> =>
  Effect.catchIf(
    httpEffect as Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>,
    isRouteNotFound,
    () => answer
  ) as never

/**
 * Answers what no route takes with the one error body, and with 405 if only the method is wrong. It is a middleware: a
 * route would take HEAD from the reads, and would not see a path that can't be decoded.
 */
export const layer = Layer.effectDiscard(
  Effect.flatMap(HttpRouter.HttpRouter, (router) => router.addGlobalMiddleware(orAnswer))
)
