import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Problem } from "#src/api/Problem.ts"
import { pages } from "#src/console/paths.ts"
import { makeConsole } from "./console/shell.ts"
import { publicDocument } from "./documents.ts"
import { madeOnce } from "./madeOnce.ts"
import { answering } from "./middleware/problems.ts"

/** For files whose paths change with their contents, so that no browser needs to ask twice. */
const immutable = "public, max-age=31536000, immutable"

const documentsOf = async () => {
  const { page, assets, wear } = await makeConsole()
  return {
    wear,
    page: publicDocument(page.html, "text/html; charset=utf-8", { policy: page.policy, kept: "no-cache" }),
    assets: new Map(
      Array.from(assets, ([path, { text, type }]) => [path, publicDocument(text, type, { kept: immutable })])
    )
  }
}
/** Read and linked when they are first asked for, once for all services of this process. */
const documents = madeOnce(documentsOf)()

/** The console's style and icon, for pages that the service writes itself. */
export const worn = Effect.map(documents, ({ wear }) => wear)

const notFound = new Problem({
  code: "not_found/route",
  message: "There is no such file of the console. It was of another version: load the page again."
})

const elsewhere = new Problem({
  code: "not_found/route",
  message: "There is no such route. /docs lists those that there are."
})

/** The addresses of the console's pages. */
export const paths: ReadonlyArray<`/${string}`> = ["/", ...Object.values(pages)]

/** The console at `/`, and what it loads. It is a client of the API like any other. */
export const layer = HttpRouter.addAll([
  ...paths.map((path) =>
    HttpRouter.route(
      "GET",
      path,
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
        // the router takes several slashes for one, but an address of the console has one spelling
        url.split("?")[0]!.includes("//") ? answering(elsewhere) : Effect.flatMap(documents, ({ page }) => page)
      )
    )
  ),
  HttpRouter.route(
    "GET",
    "/assets/*",
    Effect.gen(function* () {
      const { url } = yield* HttpServerRequest.HttpServerRequest
      const asset = (yield* documents).assets.get(url.split("?")[0]!)
      return yield* asset ?? answering(notFound)
    })
  )
])
