import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Holder } from "#domain/Scope.ts"
import { fresh, longPatience } from "#engine/ask.ts"
import { Busy } from "#engine/decide.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Caller, WriteIdentity } from "#src/api/middleware.ts"
import { fieldProblem, Problem } from "#src/api/Problem.ts"
import { snippetIds } from "#src/snippets/ids.ts"
import { isPublicLibraryOpen } from "#src/snippets/publicLibrary.ts"
import { type Screened, type ScreenRefusal, screen, screenStored } from "#src/snippets/screen.ts"
import type { Upload } from "#src/snippets/store.ts"
import { Storage } from "#src/usage/Storage.ts"
import { problemOf as waiting } from "./refusals.ts"

/** The operator has turned public snippets off. */
export const publicOff = fieldProblem(
  "permission/public_off",
  "public",
  "This service has no public snippets: its operator turned them off (CAIRN_PUBLIC). Nothing was stored or looked for; store without public."
)

const problemOf = (refusal: ScreenRefusal): Problem => {
  switch (refusal._tag) {
    case "SecretsFound": {
      const errors = refusal.found.map(({ field, line, kind }) => ({
        field,
        message: `line ${line} looks like a secret (${kind})`
      }))
      const said = errors.map(({ field, message }) => `${field}: ${message}`).join("; ")
      return new Problem({
        code: "validation/secret_found",
        message: `Nothing was stored: it was to be public, and ${said}. Take it out (and change it, if it was ever real), read it from the environment instead, or store without public.`,
        errors
      })
    }
    case "NotText": {
      const errors = refusal.fields.map((field) => ({ field, message: "is no text: it is mostly control characters" }))
      return new Problem({
        code: "validation/not_text",
        message: `Nothing was stored: ${refusal.fields.join(", ")} is no text that could be read. Only text can be public.`,
        errors
      })
    }
    case "TooMuchWaits":
      return waiting(refusal)
    case "Unscreened":
      return fieldProblem(
        "validation/not_screened",
        refusal.field,
        `Nothing was stored: it was to be public, and ${refusal.field} could not be looked through for secrets in time. Send a smaller text, or store without public.`
      )
  }
}

/** Refuses texts that must not become public: those of the request, and those stored with the same code before. */
export const screened = Effect.fnUntraced(function* (
  texts: ReadonlyArray<Screened>,
  { secret }: Holder,
  uploads: ReadonlyArray<Pick<Upload, "home" | "source" | "files">>
) {
  if (!(yield* isPublicLibraryOpen)) return yield* publicOff
  yield* Effect.mapError(screen(texts), problemOf)
  // what was said of it a moment ago, in private, would become public unseen
  yield* Effect.mapError(fresh(Snippets, longPatience), waiting)
  const ids = yield* Effect.orDie(Effect.forEach(uploads, (upload) => snippetIds(secret, upload)))
  yield* Effect.mapError(screenStored(ids.flat()), problemOf)
})

/**
 * Refuses uploads that would pass the bound of snippets, before anything is looked at or stored. A repeated request
 * passes, and is answered as before.
 */
export const withRoom = Effect.fnUntraced(function* (
  uploads: ReadonlyArray<Pick<Upload, "home" | "source" | "files">>
) {
  if ((yield* WriteIdentity).before !== undefined) return
  const { tenant, secret, key } = yield* Caller
  const ids = Effect.forEach(uploads, (upload) => snippetIds(secret, upload)).pipe(
    Effect.provideService(SqlClient.SqlClient, yield* SqlClient.SqlClient),
    Effect.mapError(() => new Busy())
  )
  const more = Effect.map(ids, (snippets) => ({ snippets, bytes: 0 }))
  yield* (yield* Storage).check({ tenant, key, more })
})
