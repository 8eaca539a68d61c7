import { SchemaIssue } from "effect"
import { type FieldError, Problem } from "./Problem.ts"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** What a schema says of fields that are wrong: one sentence about each. */
export const fieldErrors = (issue: SchemaIssue.Issue): ReadonlyArray<FieldError> => {
  const seen = new Set<string>()
  return issuesOf(issue).issues.flatMap(({ path = [], message }) => {
    const field = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")
    if (seen.has(field)) return []
    seen.add(field)
    return [{ field, message: message.replace(/^Missing key$/, "is missing") }]
  })
}

/** The problem with a request some of whose fields are wrong. */
export const invalidFields = (errors: ReadonlyArray<FieldError>, hint: string): Problem => {
  const said = errors.map(({ field, message }) => `${field}: ${message}`).join("; ")
  return new Problem({ code: "validation/invalid_field", message: `${said}. ${hint}`, errors })
}
