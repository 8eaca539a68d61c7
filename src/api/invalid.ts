import { SchemaAST, SchemaIssue } from "effect"
import { type FieldError, Problem } from "./Problem.ts"

/** Mistakes that are told. Who sends more of them learns nothing from a longer list. */
export const mostTold = 20
/** Of those, mistakes that the sentence for people has; the others are in `errors`. */
const mostSaid = 8
/** Characters of a name that a caller made up. */
const longestName = 60
/** Characters of a field's path, and of what is said of it. */
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

/** What a schema takes, in words; `null` is not worth one, for it says the same as nothing. */
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

/** What an issue says that has no further ones below it. */
const messageOf = (issue: SchemaIssue.Issue): string => {
  if (issue._tag === "MissingKey") return "is missing"
  if (issue._tag === "UnexpectedKey") return "is no field of this"
  if (issue._tag === "InvalidType" || issue._tag === "AnyOf") {
    return `is of a wrong type; expected ${expectedBy(issue.ast)}`
  }
  const [first] = said(issue).issues
  return (first?.message ?? "is not valid").replace(/^Expected (.*)$/s, "is not right; expected $1")
}

/** The mistakes below an issue, each with its place. Whoever asks for twenty has not to wait for the others. */
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
      // what was expected is known to the check, not to what it found
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

/** What a schema says of fields that are wrong: one sentence about each, of the first twenty. */
export const fieldErrors = (issue: SchemaIssue.Issue): ReadonlyArray<FieldError> => {
  const found = new Map<string, FieldError>()
  for (const one of mistakes(issue, [], undefined)) {
    if (!found.has(one.field)) found.set(one.field, one)
    if (found.size === mostTold) break
  }
  return [...found.values()]
}

/** The problem with a request some of whose fields are wrong. */
export const invalidFields = (errors: ReadonlyArray<FieldError>, hint: string): Problem => {
  const shown = errors.slice(0, mostSaid).map(({ field, message }) => `${field}: ${message}`)
  const more = errors.length > mostSaid ? "; and others, which errors names" : ""
  const said = `${shown.join("; ")}${more}`
  const end = said.endsWith("?") ? "" : "."
  return new Problem({ code: "validation/invalid_field", message: `${said}${end} ${hint}`, errors })
}
