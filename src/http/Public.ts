import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type PublicEntry, type PublicPlace, publicEntries, publicSnippets } from "#projections/Snippets/community.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Api } from "#src/api/Api.ts"
import { cursors, placeCount, placeId, placeTime } from "#src/api/cursor.ts"
import { isPublicLibraryOpen } from "#src/snippets/publicLibrary.ts"
import { freshOrStale, searched, shownFound, staleIn } from "./answer.ts"
import { byPortions } from "./answers.ts"
import { inPieces, values } from "./pieces.ts"
import { publicOff } from "./screening.ts"

/** A public snippet as the API tells it. Whose it is stays untold, even the organization's name and id. */
const shown = (snippet: PublicEntry) => ({
  id: snippet.id,
  name: snippet.name,
  description: snippet.description,
  source: snippet.source,
  language: snippet.language,
  entrypoint: snippet.entrypoint,
  thumbs_up: snippet.up,
  thumbs_down: snippet.down,
  created_at: snippet.created_at.toISOString(),
  namespace: "community"
})

const places = cursors<PublicPlace>(Schema.Tuple([placeCount, placeTime, placeId]))

const languageIn = (given: string | null | undefined) => given?.toLowerCase()

/** Which page of the public snippets; `language` is lower-case. */
interface PageAsked {
  readonly sortBy: "upvoted" | "recent"
  readonly language: string | null
  readonly limit: number
  readonly offset?: number | undefined
  readonly cursor: string | null | undefined
}

/** A page of the public snippets without their texts, how many there are, and the cursor of the next page. */
export const publicPage = Effect.fnUntraced(function* ({ sortBy, language, limit, offset = 0, cursor }: PageAsked) {
  yield* freshOrStale(Snippets)
  const asked = ["public", sortBy, language] as const
  const after = yield* places.read(asked, cursor, offset)
  const { page, total } = yield* Effect.orDie(publicSnippets(sortBy, language, { limit: limit + 1, offset, after }))
  const listed = page.slice(0, limit)
  const [last, more] = [listed.at(-1), page.length > limit]
  const next = more ? places.write(asked, [last!.up, last!.created_at.getTime(), last!.id]) : null
  return { listed, total, next }
})

export const layer = HttpApiBuilder.group(Api, "public", (handlers) =>
  handlers
    .handle("listPublic", ({ payload }) =>
      Effect.gen(function* () {
        if (!(yield* isPublicLibraryOpen)) return yield* publicOff
        const { listed, total, next } = yield* publicPage({
          sortBy: payload.sort_by ?? "upvoted",
          language: languageIn(payload.language) ?? null,
          limit: payload.limit ?? 20,
          offset: payload.offset ?? 0,
          cursor: payload.cursor
        })
        const rows = byPortions(listed, (portion) =>
          Effect.map(Effect.orDie(publicEntries(portion)), (snippets) => snippets.map(shown))
        )
        return yield* inPieces({ snippets: { rows }, ...values({ total, has_more: next !== null, next_cursor: next }) })
      })
    )

    .handle("searchPublic", ({ payload }) =>
      Effect.gen(function* () {
        if (!(yield* isPublicLibraryOpen)) return yield* publicOff
        const standing = yield* freshOrStale(Snippets)
        const language = languageIn(payload.language)
        const question = {
          task: payload.query,
          limit: payload.limit ?? 20,
          minVerdict: 0.3,
          preferComplete: false,
          ...(language === undefined ? {} : { language })
        }
        const everyones = { homes: [], includePublic: true, agent: null }
        const { found, total, stale } = yield* searched(question, everyones, standing)
        const rows = shownFound(found, everyones, (read) => Effect.succeed(read.map(({ snippet }) => shown(snippet))))
        return yield* inPieces({ snippets: { rows }, ...values({ total, query: payload.query, ...staleIn(stale) }) })
      })
    )
)
