import type { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/**
 * A JSON body. The middleware reads it within the route's limits and gives the route its value. The API's own builder,
 * which would parse it in one piece, takes it for text.
 */
export const body = <S extends Schema.Top>(schema: S): S =>
  (HttpApiSchema.asText({ contentType: "application/json" }) as unknown as (schema: S) => S)(schema)
