import { filename } from "#domain/filename.ts"
import type { StoreCodeBlockRequest } from "#src/api/Snippets/codeBlock.ts"
import type { Screened } from "#src/snippets/screen.ts"
import type { Upload } from "#src/snippets/store.ts"

/** The part of an upload that the request describes. What is left out or empty is read off the source. */
export const describedIn = (request: StoreCodeBlockRequest) => {
  const { name, source, entrypoint, description, dependencies, tags, capabilities } = request
  const language = request.language.toLowerCase()
  const said = (schema: StoreCodeBlockRequest["input_schema"]) =>
    schema == null || Object.keys(schema).length === 0 ? undefined : schema
  const inputSchema = said(request.input_schema)
  const outputSchema = said(request.output_schema)
  return {
    name,
    source,
    language,
    dependencies: dependencies ?? {},
    tags: tags ?? [],
    path: filename({ path: name, name: "", language, id: "" }, new Set()),
    exampleQueries: request.example_queries ?? [],
    ...(capabilities == null || capabilities.length === 0 ? {} : { capabilities }),
    ...(entrypoint === "" ? {} : { entrypoint }),
    ...(description == null || description === "" ? {} : { description }),
    ...(request.language_version == null ? {} : { languageVersion: request.language_version }),
    ...(inputSchema === undefined ? {} : { inputSchema }),
    ...(outputSchema === undefined ? {} : { outputSchema })
  } satisfies Partial<Upload>
}

/** The texts that everyone would see of a public snippet. */
export const codeBlockTexts = (request: StoreCodeBlockRequest): ReadonlyArray<Screened> => {
  const { source, ...rest } = request
  const described = describedIn(request)
  return [
    { field: "source", path: described.path, text: source },
    ...Object.entries(rest).flatMap(([field, value]) =>
      value == null || typeof value === "boolean"
        ? []
        : [{ field, path: "", text: typeof value === "string" ? value : JSON.stringify(value) }]
    )
  ]
}
