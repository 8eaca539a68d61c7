import { SchemaAST, SchemaIssue } from "effect"
import { type FieldError, Problem } from "./Problem.ts"

/** The most mistakes that an answer tells: a longer list helps nobody. */
export const mostTold = 20
/** The most of them that the message for people has; the others are in `errors`. */
const mostSaid = 8
/** The most characters of a name that a caller made up. */
const longestName = 60
/** The most characters of a field's path, and of what is said of it. */
const longestField = 160
const longestMessage = 300

export const seeDocs = "See /docs for what is expected."

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…`.toWellFormed() : text

/** A place in a body as its error names it, e.g. `files.2.path`. */
export const fieldOf = (path: ReadonlyArray<PropertyKey>): string =>
  cut(
    path
      .slice(0, 12)
      .map((part) => cut(String(part), longestName))
      .join("."),
    longestField
  )

/** What a schema takes, in words. A union leaves out `null`, which means the same as a missing field. */
const expectedBy = (ast: SchemaAST.AST): string => {
  if (SchemaAST.isUnion(ast)) {
    const words = ast.types.filter((one) => !SchemaAST.isNull(one) && !SchemaAST.isUndefined(one)).map(expectedBy)
    return listed([...new Set(words)])
  }
  if (SchemaAST.isLiteral(ast)) return JSON.stringify(ast.literal)
  if (SchemaAST.isString(ast)) return "text"
  if (SchemaAST.isNumber(ast)) return "a number"
  if (SchemaAST.isBoolean(ast)) return "true or false"
  if (SchemaAST.isArrays(ast)) return "an array"
  if (SchemaAST.isObjects(ast)) return "an object"
  return SchemaAST.isNull(ast) ? "null" : "another value"
}

const listed = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? (words[0] ?? "nothing") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

const said = SchemaIssue.makeFormatterStandardSchemaV1()

/** The message of an issue that has no others below it. */
const messageOf = (issue: SchemaIssue.Issue): string => {
  if (issue._tag === "MissingKey") return "is missing"
  if (issue._tag === "UnexpectedKey") return "is no field of this"
  if (issue._tag === "InvalidType" || issue._tag === "AnyOf") {
    return `is of a wrong type; expected ${expectedBy(issue.ast)}`
  }
  const [first] = said(issue).issues
  return (first?.message ?? "is not valid").replace(/^Expected (.*)$/s, "is not right; expected $1")
}

/** The mistakes below an issue, each with its place. Made as they are taken: twenty do not wait for the rest. */
function* mistakes(
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey>,
  own: string | undefined
): Generator<FieldError> {
  switch (issue._tag) {
    case "Pointer":
      return yield* mistakes(issue.issue, [...path, ...issue.path], own)
    case "Encoding":
      return yield* mistakes(issue.issue, path, own)
    case "Filter": {
      const { message } = (issue.filter.annotations ?? {}) as { readonly message?: unknown }
      // what was expected stands in the check, not in the issue below it
      if (issue.issue._tag === "InvalidValue" && message === undefined && own === undefined) {
        return yield { field: fieldOf(path), message: cut(messageOf(issue), longestMessage) }
      }
      return yield* mistakes(issue.issue, path, own ?? (typeof message === "string" ? message : undefined))
    }
    case "Composite":
      for (const one of issue.issues) yield* mistakes(one, path, own)
      return
    case "AnyOf":
      if (issue.issues.length > 0) {
        for (const one of issue.issues) yield* mistakes(one, path, own)
        return
      }
  }
  yield { field: fieldOf(path), message: cut(own ?? messageOf(issue), longestMessage) }
}

/** What is wrong with a request's fields: one sentence about each of the first twenty. */
export const fieldErrors = (issue: SchemaIssue.Issue): ReadonlyArray<FieldError> => {
  const found = new Map<string, FieldError>()
  for (const one of mistakes(issue, [], undefined)) {
    if (!found.has(one.field)) found.set(one.field, one)
    if (found.size === mostTold) break
  }
  return [...found.values()]
}

/** The problem with a request that has wrong fields. */
export const invalidFields = (errors: ReadonlyArray<FieldError>, hint: string): Problem => {
  const shown = errors.slice(0, mostSaid).map(({ field, message }) => `${field}: ${message}`)
  const more = errors.length > mostSaid ? "; and others, which errors names" : ""
  const said = `${shown.join("; ")}${more}`
  const end = said.endsWith("?") ? "" : "."
  return new Problem({ code: "validation/invalid_field", message: `${said}${end} ${hint}`, errors })
}
