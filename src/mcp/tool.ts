import { randomUUID } from "node:crypto"
import { Effect, Predicate, Schema } from "effect"
import { McpSchema } from "effect/ai"
import { fieldErrors, invalidFields, mostTold } from "#src/api/invalid.ts"
import { RequestRates } from "#src/api/middleware.ts"
import { bodyOf, Problem } from "#src/api/Problem.ts"
import { misfits, shapeOf } from "#src/api/shape.ts"
import type { Call } from "./Operations.ts"
import { Parts } from "./Parts.ts"

/** What a tool says: a text for a reader, and the route's answer for programs. */
export interface ToolSaid {
  readonly text: string
  /** The route's answer, or what stands for it in a message: see `Parts`. */
  readonly answer: object | string
  /** The call was carried out, and did not end well. */
  readonly failed?: boolean
}

/** One tool as the protocol's server takes it. */
export interface McpTool {
  readonly descriptor: McpSchema.Tool
  /** `given`: the arguments as they came, unchecked. Never fails: a problem is a result that says how to mend it. */
  readonly handle: (given: unknown) => Effect.Effect<McpSchema.CallToolResult, never, Call | RequestRates>
}

interface Options<S extends Schema.Struct<Schema.Struct.Fields>> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: S
  readonly hints: Pick<typeof McpSchema.ToolAnnotations.Type, "readOnlyHint" | "destructiveHint" | "openWorldHint">
  /** The route with whose requests its calls are counted. */
  readonly route: string
  readonly run: (input: S["Type"]) => Effect.Effect<ToolSaid, Problem, Call>
}

const notAnObject = (hint: string) =>
  new Problem({ code: "validation/invalid_body", message: `The arguments are no JSON object. ${hint}` })

interface ObjectSchema {
  readonly properties?: { readonly [name: string]: ObjectSchema }
  readonly required?: ReadonlyArray<string>
}

/** The arguments in a sentence: a model that got them wrong has no other place to look. */
const takes = (name: string, { properties = {}, required = [] }: ObjectSchema): string => {
  const shown = (field: string): string => {
    const { properties: inner } = properties[field]!
    return inner === undefined ? field : `${field} {${Object.keys(inner).join(", ")}}`
  }
  const fields = Object.keys(properties)
  const needed = fields.filter((field) => required.includes(field)).map(shown)
  const others = fields.filter((field) => !required.includes(field)).map(shown)
  const must = needed.length === 0 ? "needs no argument" : `needs ${needed.join(", ")}`
  return `${name} ${must}${others.length === 0 ? "" : `, and takes ${others.join(", ")}`}.`
}

/** Models often send `null` for what they leave out. */
const withoutNulls = (given: object) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))

/**
 * The key of a result's `_meta` that has the route's answer. Many clients would show `structuredContent` to the model
 * in place of the text.
 */
const answerKey = "cairn/answer"

const result = ({ text, answer, failed = false }: ToolSaid) =>
  Effect.map(
    Parts,
    (parts) =>
      new McpSchema.CallToolResult({
        content: [{ type: "text", text: parts.text(text) }],
        _meta: { [answerKey]: typeof answer === "string" ? answer : parts.json(answer) },
        ...(failed ? { isError: true } : {})
      })
  )

/** A problem as a tool's error: its message to read, and the service's one error body as the answer. */
const refused = (problem: Problem, requestId: string) => {
  const wait = problem.retryAfter === undefined ? "" : ` (Retry after ${Math.ceil(problem.retryAfter)} s.)`
  return result({ text: `${problem.message}${wait}`, answer: bodyOf(problem, requestId), failed: true })
}

/** Makes a tool whose arguments a schema checks, and whose every failure is a result that says how to mend it. */
export const tool = <S extends Schema.Struct<Schema.Struct.Fields>>(options: Options<S>): McpTool => {
  const { name, title, description, input, hints, route, run } = options
  const decode = Schema.decodeUnknownEffect(input as unknown as Schema.Codec<S["Type"], unknown>, { errors: "all" })
  const shape = shapeOf(input)
  const { schema } = shape
  const hint = takes(name, schema as ObjectSchema)
  return {
    descriptor: new McpSchema.Tool({
      name,
      title,
      description,
      inputSchema: schema as never,
      annotations: { title, idempotentHint: false, ...hints }
    }),
    handle: (given) =>
      Effect.suspend(() => {
        const requestId = randomUUID()
        return Effect.gen(function* () {
          yield* (yield* RequestRates).count(route)
          const sent = (yield* Parts).given(given ?? {})
          if (!Predicate.isReadonlyObject(sent)) return yield* notAnObject(hint)
          const arguments_ = withoutNulls(sent)
          const { errors, tooMany } = misfits(shape, arguments_, new Set())
          if (tooMany) return yield* invalidFields(errors.slice(-1), hint)
          const decoded = yield* Effect.mapError(decode(arguments_), ({ issue }) =>
            invalidFields([...errors, ...fieldErrors(issue)].slice(0, mostTold), hint)
          )
          if (errors.length > 0) return yield* invalidFields(errors, hint)
          return yield* result(yield* run(decoded))
        }).pipe(
          Effect.catchTag("Problem", (problem) => refused(problem, requestId)),
          Effect.annotateLogs({ request_id: requestId })
        )
      })
  }
}
