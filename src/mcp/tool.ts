import { randomUUID } from "node:crypto"
import { Effect, Predicate, Schema } from "effect"
import { McpSchema } from "effect/ai"
import { fieldErrors, invalidFields } from "#src/api/invalid.ts"
import type { Rate } from "#src/api/middleware.ts"
import { bodyOf, Problem } from "#src/api/Problem.ts"
import type { Call } from "./Operations.ts"
import { rated } from "./rated.ts"

/** What a tool says: text for whoever reads it, and the same for programs. */
export interface Said {
  readonly text: string
  readonly structure: object
  /** It was carried out, and did not end well. */
  readonly failed?: boolean
}

export interface Tool {
  readonly descriptor: McpSchema.Tool
  readonly handle: (given: unknown) => Effect.Effect<McpSchema.CallToolResult, never, Call | Rate>
}

interface Options<S extends Schema.Struct<Schema.Struct.Fields>> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: S
  readonly hints: Pick<typeof McpSchema.ToolAnnotations.Type, "readOnlyHint" | "destructiveHint" | "openWorldHint">
  /** The route whose requests it is counted with. */
  readonly route: string
  readonly run: (input: S["Type"]) => Effect.Effect<Said, Problem, Call>
}

const notAnObject = new Problem({
  code: "validation/invalid_body",
  message: "The arguments are no JSON object. Send one object; tools/list has its fields."
})

/** Models often send `null` for what they leave out. */
const withoutNulls = (given: object) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))

const result = ({ text, structure, failed = false }: Said) =>
  new McpSchema.CallToolResult({
    content: [{ type: "text", text }],
    structuredContent: structure,
    ...(failed ? { isError: true } : {})
  })

/** A problem as a tool's error: its message to read, and the service's one error body as the structure. */
const refused = (problem: Problem, requestId: string) => {
  const wait = problem.retryAfter === undefined ? "" : ` (Retry after ${Math.ceil(problem.retryAfter)} s.)`
  return result({ text: `${problem.message}${wait}`, structure: bodyOf(problem, requestId), failed: true })
}

/** A tool whose arguments are checked by a schema, and whose every failure is a result that says how to mend it. */
export const tool = <S extends Schema.Struct<Schema.Struct.Fields>>(options: Options<S>): Tool => {
  const { name, title, description, input, hints, route, run } = options
  const decode = Schema.decodeUnknownEffect(input as unknown as Schema.Codec<S["Type"], unknown>, { errors: "all" })
  const { schema } = Schema.toJsonSchemaDocument(input)
  return {
    descriptor: new McpSchema.Tool({
      ...{ name, title, description, inputSchema: schema as never },
      annotations: { title, idempotentHint: false, ...hints }
    }),
    handle: (given) =>
      Effect.suspend(() => {
        const requestId = randomUUID()
        return Effect.gen(function* () {
          yield* rated(route)
          if (!Predicate.isReadonlyObject(given ?? {})) return yield* notAnObject
          const decoded = yield* Effect.mapError(decode(withoutNulls((given ?? {}) as object)), ({ issue }) =>
            invalidFields(fieldErrors(issue), "tools/list has what is expected.")
          )
          return result(yield* run(decoded))
        }).pipe(
          Effect.catchTag("Problem", (problem) => Effect.succeed(refused(problem, requestId))),
          Effect.annotateLogs({ request_id: requestId })
        )
      })
  }
}
