import { readdirSync, readFileSync } from "node:fs"
import { thousands } from "#domain/text/thousands.ts"
import { describeFields } from "./descriptions.ts"
import { deepest, type Limits, limitsKey, rawKey, sizeOf, small } from "./limits.ts"
import { meanings } from "./meanings.ts"
import { type Code, statusOf } from "./Problem.ts"

/** A request and its answer, from `examples/<operation>.json`. The document shows it, and tests try it. */
export interface Example {
  readonly request?: unknown
  /** Of the path and the query. */
  readonly parameters?: { readonly [name: string]: string }
  readonly response?: unknown
}

const folder = new URL("./examples/", import.meta.url)

/** By operation, e.g. `snippets.search`. */
export const examples: ReadonlyMap<string, Example> = new Map(
  readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => [name.slice(0, -".json".length), JSON.parse(readFileSync(new URL(name, folder), "utf8"))])
)

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is JSON, and this walks all of it
type Document = Record<string, any>

const codesOf = (status: string): ReadonlyArray<Code> =>
  (Object.keys(statusOf) as Array<Code>).filter((code) => String(statusOf[code]) === status)

const described = (status: string): string => {
  const codes = codesOf(status).map((code) => `\`${code}\``)
  return [meanings[status] ?? "Answer.", ...(codes.length === 0 ? [] : [`Codes: ${codes.join(", ")}.`])].join(" ")
}

/** The headers that all operations share: told once, and not as parameters of each. */
const headers = `
Every request carries \`Authorization: Bearer <key>\`, except those to \`/health\`, \`/ready\`, \`/skill.md\`, \`/api/sign-in\`, \`/api/erasures/{id}\` and the public snippets.

| header | meaning |
|---|---|
| \`X-Cairn-Workspace-Id\` | Adds a customer's own snippets to the organization's. Needs PRO or ENTERPRISE. |
| \`X-Cairn-Snips-Desired\` | \`client\`: only the workspace's snippets; \`company\`: only the organization's. |
| \`X-Cairn-Public-Snips\` | \`true\`: also public snippets of others. |
| \`X-Cairn-Agent-Id\` | Only this agent's snippets and those of no agent; uploads become this agent's. |
| \`X-Cairn-Org-Id\` | The key's own organization, by its id or its slug; any other is refused. |
| \`Idempotency-Key\` | On writes: 1 to 255 characters, different for each write. For 24 hours, the same key gets the same answer and writes nothing. |

Clone workspaces with git from \`/git/{workspace_id}.git\`, with the key as the password.`

const example = (media: Document | undefined, value: unknown) => {
  // in a map: the page that shows the document looks for an answer's example nowhere else
  if (value !== undefined) for (const content of Object.values(media ?? {})) content.examples = { example: { value } }
}

/** Says what an operation's body may be. */
const limit = (operation: Document) => {
  const { bytes, values, names }: Limits = operation[limitsKey] ?? small
  delete operation[limitsKey]
  operation["responses"]["413"].description = operation["responses"]["413"].description.replace(
    "than the route takes",
    `than ${sizeOf(bytes)}`
  )
  const raw: { readonly needed: boolean } | undefined = operation[rawKey]
  delete operation[rawKey]
  if (operation["requestBody"] === undefined) return
  if (raw !== undefined) {
    operation["requestBody"].required = raw.needed
    operation["requestBody"].description = `Raw bytes, at most ${sizeOf(bytes)}. The Content-Type does not matter.`
    operation["requestBody"]["x-max-bytes"] = bytes
    return
  }
  operation["requestBody"].description =
    `At most ${sizeOf(bytes)} and ${thousands(values)} values${names === undefined ? "" : ` (${thousands(names)} named fields)`}, nested no deeper than ${deepest} levels.`
  operation["requestBody"]["x-max-bytes"] = bytes
  operation["requestBody"]["x-max-values"] = values
}

/** Completes the generated OpenAPI document: examples, what each error means and its codes, the headers. */
export const document = (spec: Document): Document => {
  for (const methods of Object.values(spec["paths"] as Document)) {
    for (const operation of Object.values(methods as Document)) {
      const found = examples.get(operation.operationId)
      for (const [status, response] of Object.entries(operation.responses as Document)) {
        response.description = described(status)
        if (status === "200") example(response.content, found?.response)
      }
      limit(operation)
      for (const { schema } of Object.values((operation.requestBody?.content ?? {}) as Document)) {
        // the builder takes it for text (see body.ts), which does not concern readers
        if (schema.$ref !== undefined) delete schema.type
      }
      example(operation.requestBody?.content, found?.request)
      for (const parameter of operation.parameters) {
        // a query has it in digits, but it is a number
        if (parameter.schema?.minimum !== undefined) parameter.schema.type = "integer"
        const value = found?.parameters?.[parameter.name]
        if (value !== undefined) parameter.example = value
      }
    }
  }
  describeFields(spec)
  spec["info"].description += headers
  // readers of the document compare with this spelling
  spec["components"].securitySchemes.bearer.scheme = "bearer"
  return spec
}
