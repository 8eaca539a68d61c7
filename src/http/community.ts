import { Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { idIn } from "#domain/Id.ts"
import {
  publicAfter,
  publicBytes,
  publicEntries,
  publicHeadings,
  publicLanguages,
  publicParts
} from "#projections/Snippets/community.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { AddressRates, Problems } from "#src/api/middleware.ts"
import { slight } from "#src/portions.ts"
import { isPublicLibraryOpen } from "#src/snippets/publicLibrary.ts"
import { freshOrStale, searched } from "./answer.ts"
import { Answers, copies } from "./answers.ts"
import { type About, framed, policy, saying } from "./community/frame.ts"
import { type AskedList, listAt, listPage } from "./community/list.ts"
import type { Markup } from "./community/markup.ts"
import { perSitemap, robots, sitemap, sitemapIndex } from "./community/sitemap.ts"
import { aboutSnippet, snippetPage } from "./community/snippet.ts"
import { worn } from "./console.ts"
import { publicPage } from "./Public.ts"
import { sandboxed } from "./sandboxed.ts"

const atOnce = 30
const languagesShown = 12
const longestQuery = 1_000
/** What is deleted, or not public any more, is gone from everywhere at once: nobody keeps it without asking. */
const kept = "no-cache"

/** Where the reader found the service, as it stands in an address; `undefined`: the request does not say. */
const origin = Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
  request.headers["host"] === undefined
    ? undefined
    : Option.getOrUndefined(Option.map(HttpServerRequest.toURL(request), ({ origin }) => origin))
)

/** The query of a request; one that can't be read is none. */
const queryOf = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ url }) => new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?")) : "")
)

const paged = (about: About, content: Markup, status = 200) =>
  Effect.map(worn, (wear) =>
    HttpServerResponse.text(framed(wear, about, content), {
      status,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy,
        "cache-control": kept,
        ...(about.url === undefined ? { "x-robots-tag": "noindex" } : {})
      }
    })
  )

const nothing = (title: string, text: string, status: number) =>
  paged({ title: `${title} · Cairn`, description: text, url: undefined }, saying(title, text), status)

const off = nothing("Nothing is public here", "This service's operator has turned public snippets off.", 403)

const missing = nothing("Public snippet not found", "It was deleted, is no longer public, or never was.", 404)

const whenOpen = <A, B, E, R, F, S>(open: Effect.Effect<A, E, R>, closed: Effect.Effect<B, F, S>) =>
  Effect.gen(function* () {
    return yield* (yield* isPublicLibraryOpen) ? open : closed
  })

const askedIn = (query: URLSearchParams): AskedList => ({
  query: (query.get("q") ?? "").trim().slice(0, longestQuery).toWellFormed(),
  language: (query.get("language") ?? "").trim().slice(0, 100).toLowerCase().toWellFormed(),
  sortBy: query.get("sort") === "recent" ? "recent" : "upvoted"
})

/** In the order of the ids. */
const headingsOf = (ids: ReadonlyArray<string>) =>
  Effect.map(Effect.orDie(publicHeadings(ids)), (found) => {
    const byId = new Map(found.map((one) => [one.id, one]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  })

const found = Effect.fnUntraced(function* ({ query, language }: AskedList) {
  const standing = yield* freshOrStale(Snippets)
  const question = { task: query, limit: atOnce, minVerdict: 0.3, preferComplete: false }
  const sight = { homes: [], includePublic: true, agent: null }
  const asked = language === "" ? question : { ...question, language }
  const { found, total, stale } = yield* searched(asked, sight, standing)
  return { snippets: yield* headingsOf(found.map(({ id }) => id)), total, stale, next: undefined }
})

const listed = Effect.fnUntraced(function* (asked: AskedList, cursor: string | null) {
  const { language, sortBy } = asked
  const { listed, total, next } = yield* publicPage({
    sortBy,
    language: language === "" ? null : language,
    limit: atOnce,
    cursor
  })
  const snippets = yield* headingsOf(listed.map(({ id }) => id))
  return { snippets, total, stale: false, next: next === null ? undefined : listAt(asked, next) }
})

const list = Effect.gen(function* () {
  const query = yield* queryOf
  const asked = askedIn(query)
  const here = yield* origin
  const answer = asked.query === "" ? yield* listed(asked, query.get("cursor")) : yield* found(asked)
  const languages = yield* Effect.orDie(publicLanguages(languagesShown))
  // what somebody searched for is no page that others should find
  const isPlain = asked.query === "" && query.get("cursor") === null
  const about: About = {
    title: "Public snippets · Cairn",
    description: "Code that has worked, shared with everybody by people and agents.",
    url: isPlain && here !== undefined ? `${here}${listAt(asked)}` : undefined
  }
  return yield* paged(about, listPage(asked, { ...answer, languages }))
})

/** A public snippet with its texts; `undefined`: there is none. */
const entryOf = Effect.fnUntraced(function* (given: string) {
  const id = idIn(given)
  if (id === undefined) return undefined
  yield* freshOrStale(Snippets)
  const known = yield* Effect.orDie(publicBytes(id))
  if (known === undefined) return undefined
  if (known.bytes > slight) yield* (yield* Answers).take(copies * known.bytes)
  const [entry] = yield* Effect.orDie(publicEntries([known]))
  return entry
})

const one = Effect.gen(function* () {
  const { file = "" } = yield* HttpRouter.params
  const isText = file.endsWith(".txt")
  const entry = yield* entryOf(isText ? file.slice(0, -".txt".length) : file)
  if (entry === undefined) return yield* missing
  if (isText)
    return HttpServerResponse.text(entry.source, {
      headers: {
        "content-type": "text/plain; charset=utf-8",
        ...sandboxed,
        "cache-control": kept,
        "x-robots-tag": "noindex"
      }
    })
  const here = yield* origin
  return yield* paged(
    aboutSnippet(entry, here === undefined ? undefined : `${here}/public/${entry.id}`),
    snippetPage(entry)
  )
})

const xml = (text: string) =>
  HttpServerResponse.text(text, {
    headers: { "content-type": "application/xml; charset=utf-8", "cache-control": kept }
  })

const sitemaps = Effect.gen(function* () {
  const here = yield* origin
  if (here === undefined) return yield* missing
  const after = (yield* queryOf).get("after")
  yield* freshOrStale(Snippets)
  // the first part begins behind no id, which 0 stands for
  if (after === null) return xml(sitemapIndex(here, ["0", ...(yield* Effect.orDie(publicParts(perSitemap)))]))
  const behind = after === "0" ? "" : idIn(after)
  if (behind === undefined) return yield* missing
  return xml(sitemap(here, yield* Effect.orDie(publicAfter(behind, perSitemap))))
})

const robotsTxt = Effect.gen(function* () {
  const text = robots(yield* origin, yield* isPublicLibraryOpen)
  return HttpServerResponse.text(text, { headers: { "cache-control": kept } })
})

/** What everybody may read, page by page, and how search engines find it. */
export const paths = ["/public", "/public/:file", "/sitemap.xml", "/robots.txt"] as const

const answers = {
  "/public": whenOpen(list, off),
  "/public/:file": whenOpen(one, off),
  "/sitemap.xml": whenOpen(sitemaps, off),
  "/robots.txt": robotsTxt
}

/** The middlewares of other routes without a key, for what is no part of the API's document. */
const handler = Effect.gen(function* () {
  const problems = yield* Problems
  const { count } = yield* AddressRates
  return (path: keyof typeof answers) => {
    const options = { endpoint: { path, method: "GET", identifier: path } as never, group: { identifier: "community" } }
    return problems(
      Effect.andThen(count, answers[path] as Effect.Effect<HttpServerResponse.HttpServerResponse>) as never,
      options as never
    )
  }
})

/** Public snippets as pages, for who has no key: nothing in them runs. */
export const layer = Layer.unwrap(
  Effect.map(handler, (handle) =>
    Layer.mergeAll(...(paths.map((path) => HttpRouter.add("GET", path, handle(path) as never)) as [Layer.Layer<never>]))
  )
)
