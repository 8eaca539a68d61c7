import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiSwagger, OpenApi } from "effect/http-api"
import { Api } from "#src/api/Api.ts"
import { madeOnce } from "./madeOnce.ts"

const digest = (text: string): string => createHash("sha256").update(text).digest("base64")

/** Whether a list of entity tags has one, weak or strong. */
const names = (list: string | undefined, tag: string): boolean =>
  list?.split(",").some((one) => [tag, "*"].includes(one.trim().replace(/^W\//, ""))) === true

const takesGzip = (accepted: string | undefined): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accepted ?? "")

/**
 * A text that everyone may keep, and that only a new version changes: a client that has it gets a 304. The service
 * compresses it once, not for each request. `kept`: its `Cache-Control`, for how long a client need not ask again.
 */
export const publicDocument = (
  text: string,
  type: string,
  { policy, kept = "public, max-age=300" }: { readonly policy?: string; readonly kept?: string } = {}
) => {
  const plain = Buffer.from(text)
  const tag = `"${digest(text).slice(0, 22)}"`
  const headers = {
    "content-type": type,
    "cache-control": kept,
    vary: "Accept-Encoding",
    etag: `W/${tag}`,
    ...(policy === undefined ? {} : { "content-security-policy": policy })
  }
  const zipped = madeOnce(() => promisify(gzip)(plain))
  return Effect.gen(function* () {
    const { headers: asked } = yield* HttpServerRequest.HttpServerRequest
    if (names(asked["if-none-match"], tag)) return HttpServerResponse.empty({ status: 304, headers })
    if (!takesGzip(asked["accept-encoding"])) {
      return HttpServerResponse.uint8Array(plain, { headers })
    }
    const bytes = yield* zipped()
    return HttpServerResponse.uint8Array(bytes, { headers: { ...headers, "content-encoding": "gzip" } })
  })
}

/** Effect's Swagger UI: one page, with all that it needs in it. */
const page = Effect.gen(function* () {
  let handler: Effect.Effect<HttpServerResponse.HttpServerResponse> | undefined
  const router = yield* HttpRouter.HttpRouter
  const keeping = HttpRouter.HttpRouter.of({
    ...router,
    add: ((_: string, __: string, handle: typeof handler) => Effect.sync(() => (handler = handle))) as never
  })
  yield* Layer.build(HttpApiSwagger.layer(Api).pipe(Layer.provide(Layer.succeed(HttpRouter.HttpRouter, keeping))))
  const { body } = yield* handler!
  return body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
})

/**
 * The page may run and apply only what it came with, by digests, and speak only to this service. A browser ignores the
 * styles that it sets on single elements, which costs its visitor nothing.
 */
const policyOf = (html: string): string => {
  const hashes = (tag: string) =>
    [...html.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, "g"))].map(([, text]) => `'sha256-${digest(text!)}'`)
  return [
    "default-src 'none'",
    `script-src ${hashes("script").join(" ")}`,
    `style-src ${hashes("style").join(" ")}`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

const documentsOf = (html: string) => ({
  docs: publicDocument(html, "text/html; charset=utf-8", { policy: policyOf(html) }),
  openapi: publicDocument(JSON.stringify(OpenApi.fromApi(Api)), "application/json")
})
/**
 * Made once, when one of them is first asked for, because making them takes longer than anything else at a start. All
 * services that this process starts share them.
 */
const documentsBy = madeOnce((router: HttpRouter.HttpRouter) =>
  page.pipe(
    Effect.provideService(HttpRouter.HttpRouter, router),
    Effect.map(documentsOf),
    Effect.scoped,
    Effect.runPromise
  )
)

/** The API's documentation, for people and for programs. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const documents = documentsBy(yield* HttpRouter.HttpRouter)
    return Layer.mergeAll(
      HttpRouter.add(
        "GET",
        "/docs",
        Effect.flatMap(documents, ({ docs }) => docs)
      ),
      HttpRouter.add(
        "GET",
        "/openapi.json",
        Effect.flatMap(documents, ({ openapi }) => openapi)
      )
    )
  })
)
