import { readdirSync, readFileSync } from "node:fs"
import { thousands } from "#domain/text/thousands.ts"

const folder = new URL("./descriptions/", import.meta.url)

/**
 * What each field of the document means, from `descriptions/*.json`. An entry is named by the field's schema or
 * operation, or by `*` if it holds for all of them.
 */
export const descriptions: ReadonlyMap<string, string> = new Map(
  readdirSync(folder).flatMap((name) =>
    Object.entries(JSON.parse(readFileSync(new URL(name, folder), "utf8")) as { [field: string]: string })
  )
)

/** The name of the entry that fits a field best; `undefined`: there is none. */
export const entryFor = (scope: string, path: ReadonlyArray<string>): string | undefined => {
  const own = `${scope}.${path.join(".")}`
  const shared = path.map((_, index) => `*.${path.slice(index).join(".")}`)
  return [own, ...shared].find((name) => descriptions.has(name))
}

// biome-ignore lint/suspicious/noExplicitAny: a JSON schema is JSON
type Node = Record<string, any>

const variants = (node: Node): ReadonlyArray<Node> =>
  (node["anyOf"] as Array<Node> | undefined)?.flatMap(variants) ?? [node]

const range = (least: number | undefined, most: number | undefined, what: string): string | undefined => {
  if (most === undefined) return least === undefined || least === 0 ? undefined : `At least ${thousands(least)}${what}.`
  return least === undefined || least === 0
    ? `At most ${thousands(most)}${what}.`
    : `${thousands(least)} to ${thousands(most)}${what}.`
}

/** The bounds that a schema states, in words. */
const boundsOf = (node: Node): string | undefined => {
  for (const one of variants(node)) {
    // any whole number: no bound
    if (one["maximum"] === Number.MAX_SAFE_INTEGER) continue
    const { minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties } = one
    const bounds =
      (maximum === undefined ? undefined : `${thousands(minimum ?? 0)} to ${thousands(maximum)}.`) ??
      range(minLength, maxLength, " characters") ??
      range(minItems, maxItems, " entries") ??
      range(undefined, maxProperties, " names")
    if (bounds !== undefined) return bounds
  }
  return undefined
}

/** Describes a field, and says its bounds. */
const describe = (field: Node, scope: string, path: ReadonlyArray<string>, bounded: Node): void => {
  const entry = entryFor(scope, path)
  if (entry === undefined) return
  // a schema's own description is better than an entry for all fields of that name
  if (entry.startsWith("*") && field["description"] !== undefined) return
  const bounds = boundsOf(bounded)
  field["description"] = bounds === undefined ? descriptions.get(entry) : `${descriptions.get(entry)} ${bounds}`
}

const walk = (node: Node, scope: string, path: ReadonlyArray<string>): void => {
  for (const one of variants(node)) {
    if (one["items"] !== undefined) walk(one["items"], scope, [...path.slice(0, -1), `${path.at(-1) ?? ""}[]`])
    for (const [name, field] of Object.entries((one["properties"] ?? {}) as Node)) {
      describe(field, scope, [...path, name], field)
      walk(field, scope, [...path, name])
    }
  }
}

/** Describes every field of an OpenAPI document. */
export const describeFields = (spec: Node): void => {
  for (const [name, schema] of Object.entries(spec["components"]["schemas"] as Node)) {
    walk(schema, name.replace(/_\d+$/, ""), [])
  }
  for (const methods of Object.values(spec["paths"] as Node)) {
    for (const operation of Object.values(methods as Node)) {
      const id: string = operation.operationId
      for (const media of Object.values((operation.requestBody?.content ?? {}) as Node))
        walk(media.schema, `${id} request`, [])
      for (const [status, response] of Object.entries(operation.responses as Node)) {
        for (const media of Object.values((response.content ?? {}) as Node)) walk(media.schema, `${id} ${status}`, [])
      }
      for (const parameter of operation.parameters) {
        describe(parameter, `${id} parameter`, [parameter.name], parameter.schema ?? {})
      }
    }
  }
}
