import { type Context, Context as Contexts, Effect, Result, Schema, type SchemaAST } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { IgnoredFields, ignoredHeader } from "#src/api/ignored.ts"
import { fieldErrors, fieldOf, invalidFields, mostTold, seeDocs } from "#src/api/invalid.ts"
import type { FieldError } from "#src/api/Problem.ts"
import { misfits, noFields, type Shape, shapeOf, unknown } from "#src/api/shape.ts"

/** What is read of an endpoint's declaration. */
export interface Endpoint {
  readonly method: string
  readonly payload: ReadonlyMap<string, { readonly schemas: ReadonlyArray<Schema.Top> }>
  readonly query?: Schema.Top
  readonly annotations: Context.Context<never>
}

interface Taken {
  readonly shape: Shape
  /** What is wrong with a value's known fields. */
  readonly faults: (value: unknown) => ReadonlyArray<FieldError>
  readonly ignored: ReadonlySet<string>
  /** Names in the query; `undefined`: the endpoint reads no query. */
  readonly query: ReadonlyArray<string> | undefined
}

const fixed = new WeakMap<Endpoint, Taken>()

const queryOf = (schema: Schema.Top | undefined) =>
  (schema?.ast as SchemaAST.Objects | undefined)?.propertySignatures.map(({ name }) => String(name))

const takenBy = (endpoint: Endpoint): Taken => {
  const known = fixed.get(endpoint)
  if (known !== undefined) return known
  const [payload] = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
  const decode =
    payload === undefined
      ? undefined
      : Schema.decodeUnknownResult(payload as Schema.Codec<unknown, unknown>, { errors: "all" })
  const taken: Taken = {
    shape: payload === undefined ? noFields : shapeOf(payload),
    faults: (value) => {
      const decoded = decode?.(value)
      return decoded !== undefined && Result.isFailure(decoded) ? fieldErrors(decoded.failure.issue) : []
    },
    ignored: Contexts.get(endpoint.annotations, IgnoredFields),
    query: queryOf(endpoint.query)
  }
  fixed.set(endpoint, taken)
  return taken
}

const twice = "comes more than once; expected it once"

/** Refuses names in a query that are unknown, or that come more than once: nobody can tell which value is meant. */
export const knownQuery = (endpoint: Endpoint) =>
  Effect.gen(function* () {
    const { query } = takenBy(endpoint)
    if (query === undefined) return
    const sent = Object.entries(yield* HttpServerRequest.ParsedSearchParams)
    const wrong = sent.filter(([name, value]) => !query.includes(name) || Array.isArray(value)).slice(0, mostTold)
    const errors = wrong.map(([name]) => ({
      field: fieldOf([name]),
      message: query.includes(name) ? twice : unknown(name, query)
    }))
    if (errors.length > 0) return yield* invalidFields(errors, seeDocs)
  })

/** Refuses unknown fields, and arrays and objects with too many parts. A header names fields that do nothing. */
export const knownFields = Effect.fnUntraced(function* (endpoint: Endpoint, value: unknown) {
  const { shape, faults, ignored } = takenBy(endpoint)
  const found = misfits(shape, value, ignored)
  if (found.tooMany) return yield* invalidFields(found.errors.slice(-1), seeDocs)
  if (found.errors.length > 0) {
    // with everything else that is wrong, so that the caller can mend it all at once
    const named = new Set(found.errors.map(({ field }) => field))
    const others = faults(value).filter(({ field }) => !named.has(field))
    return yield* invalidFields([...found.errors, ...others].slice(0, mostTold), seeDocs)
  }
  if (found.ignored.length > 0) {
    const names = found.ignored.slice(0, mostTold).join(", ")
    yield* HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(HttpServerResponse.setHeader(response, ignoredHeader, names))
    )
  }
})
