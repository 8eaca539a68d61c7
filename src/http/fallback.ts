import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Api } from "#src/api/Api.ts"
import { Problem } from "#src/api/Problem.ts"
import { respond } from "./middleware/problems.ts"

/** A route's pattern as a regular expression: `:name` is one part, `*` the rest. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/:[^/]+/g, "[^/]+").replace(/\*/g, ".+")}/?$`)

const routes = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints as Record<string, { readonly method: string; readonly path: string }>).map(
    ({ method, path }) => ({ method, pattern: patternOf(path) })
  )
)

const answer = Effect.map(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
  const path = url.split("?")[0]!
  const allowed = routes.filter(({ pattern }) => pattern.test(path)).map((route) => route.method)
  if (allowed.length === 0) {
    return respond(
      new Problem({ code: "not_found/route", message: "There is no such route. /docs lists those that there are." })
    )
  }
  return respond(
    new Problem({
      code: "method/not_allowed",
      message: `This route does not take ${method}. It takes ${allowed.join(", ")}.`
    })
  )
})

/** What no route takes: the one error body, with 405 where only the method is wrong. */
export const layer = HttpRouter.add("*", "*", answer)
