import { withDependencies } from "#domain/dependencies.ts"
import { fileTreeOf, type RepositoryFile, readmePreviewOf } from "#domain/Repository/files.ts"
import { frameworkOf } from "#domain/Repository/framework.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { comments } from "../Comments.ts"
import { table } from "../table.ts"
import type { FilesRow, Json, RemovedRow, SnippetRow, VotesRow } from "./rows.ts"
import { terms, withTask } from "./terms.ts"

const one = ({ snippet }: { readonly snippet: string }) => [snippet]

/** Characters of the longest property name that can be searched for: an index entry has room for some 2,700 bytes. */
export const longestProperty = 500
/** SQL for the part of a name that is indexed. */
export const nameBegins = (name: string): string => `left(${name}, 200)`

const propertiesOf = ({ properties }: Json): ReadonlyArray<string> =>
  typeof properties === "object" && properties !== null
    ? Object.keys(properties).filter((name) => name.length <= longestProperty)
    : []

const ran = (row: VotesRow, succeeded: boolean): VotesRow => ({
  ...row,
  runs: row.runs + 1,
  succeeded: row.succeeded + (succeeded ? 1 : 0)
})

/** A repository at a glance; `null`s for a single file. */
const overview = (files: ReadonlyArray<RepositoryFile> | undefined) =>
  files === undefined
    ? { file_tree: null, file_count: null, framework: null, readme_preview: null }
    : {
        file_tree: fileTreeOf(files),
        file_count: files.length,
        framework: frameworkOf(files),
        readme_preview: readmePreviewOf(files)
      }

/** Indexes for the orders in which everyone may page through the public snippets, of all languages and of one. */
const rankings = ["up DESC, created_at DESC, id", "created_at DESC, id"].flatMap((order) => [
  `(${order}) WHERE published`,
  `(language, ${order}) WHERE published`
])

/** Read model `snippets`: the catalogue, its votes, and the terms and vectors that the search index is made of. */
export const Snippets = {
  name: "snippets",
  version: 10,
  tables: {
    snippets: table<SnippetRow>({
      columns: {
        id: "text",
        tenant: "text",
        home: "text",
        author: "text",
        agent: "text",
        published: "boolean",
        kind: "text",
        name: "text",
        path: "text",
        description: "text",
        source: "text",
        entrypoint: "text",
        language: "text",
        language_version: "text",
        dependencies: "json",
        tags: "text[]",
        capabilities: "text[]",
        input_schema: "json",
        input_properties: "text[]",
        output_schema: "json",
        example_queries: "text[]",
        external_id: "text",
        workspace: "text",
        file_tree: "text",
        file_count: "integer",
        framework: "text",
        readme_preview: "text",
        withdrawn_for: "json",
        created_at: "timestamptz",
        updated_at: "timestamptz"
      },
      // an index entry has room for some 2,700 bytes: a longer name would stop the read model
      indexes: [`(home, ${nameBegins("name")})`, "USING gin (input_properties)"],
      on: {
        SnippetUploaded: {
          rows: one,
          to: (_, { snippet, home, author, published, language, kind, text }, { tenant, recordedAt }) => {
            if (text === null) return undefined
            const at = new Date(recordedAt).toISOString()
            return {
              id: snippet,
              tenant,
              home,
              author,
              published,
              language,
              created_at: at,
              updated_at: at,
              agent: text.agent,
              kind: kind ?? "file",
              name: text.name,
              path: text.path,
              description: text.description,
              source: text.source,
              entrypoint: text.entrypoint,
              language_version: text.languageVersion,
              tags: text.tags,
              dependencies: withDependencies({}, text.dependencies),
              capabilities: text.capabilities,
              input_schema: text.inputSchema,
              input_properties: propertiesOf(text.inputSchema),
              output_schema: text.outputSchema,
              example_queries: withTask(text.exampleQueries, text.task),
              external_id: text.externalId,
              workspace: text.workspace,
              ...overview(text.files),
              withdrawn_for: null
            }
          }
        },
        TaskAdded: {
          rows: one,
          to: (row, { text }, { recordedAt }) =>
            row && {
              ...row,
              example_queries: withTask(row.example_queries, text?.task ?? null),
              // a public snippet was screened before it was published: nothing is added to it unscreened
              dependencies: row.published
                ? row.dependencies
                : withDependencies(row.dependencies, text?.dependencies ?? {}),
              updated_at: new Date(recordedAt).toISOString()
            }
        },
        SnippetPublished: { rows: one, to: (row) => row && { ...row, published: true, withdrawn_for: null } },
        SnippetWithdrawn: {
          rows: one,
          to: (row, { found }) => row && { ...row, published: false, withdrawn_for: found }
        },
        SnippetDeleted: { rows: one, to: () => undefined }
      }
    }),
    votes: table<VotesRow>({
      columns: {
        id: "text",
        kind: "text",
        language: "text",
        published: "boolean",
        up: "integer",
        down: "integer",
        human_up: "integer",
        human_down: "integer",
        runs: "integer",
        succeeded: "integer",
        created_at: "timestamptz",
        changed: "bigint"
      },
      indexes: ["(changed)", ...rankings],
      on: {
        SnippetUploaded: {
          rows: one,
          to: (_, { snippet, kind, language, published, succeeded, text }, { position, recordedAt }) =>
            text === null
              ? undefined
              : {
                  id: snippet,
                  kind: kind ?? "file",
                  language,
                  published,
                  up: 0,
                  down: 0,
                  human_up: 0,
                  human_down: 0,
                  runs: 1,
                  succeeded: succeeded ? 1 : 0,
                  created_at: new Date(recordedAt).toISOString(),
                  changed: position
                }
        },
        TaskAdded: { rows: one, to: (row, { succeeded }) => row && ran(row, succeeded) },
        ExecutionRecorded: {
          rows: ({ snippet }) => (snippet === null ? [] : [snippet]),
          // a cancelled run says nothing about the code
          to: (row, { state }) => (row === undefined || state === "cancelled" ? row : ran(row, state === "completed"))
        },
        VoteCast: {
          rows: one,
          to: (row, { value, count, source }, { position }) =>
            row && {
              ...row,
              up: row.up + (value === 1 ? count : 0),
              down: row.down + (value === -1 ? count : 0),
              human_up: row.human_up + (value === 1 && source === "human" ? count : 0),
              human_down: row.human_down + (value === -1 && source === "human" ? count : 0),
              changed: position
            }
        },
        SnippetPublished: { rows: one, to: (row) => row && { ...row, published: true } },
        SnippetWithdrawn: { rows: one, to: (row) => row && { ...row, published: false } },
        SnippetDeleted: { rows: one, to: () => undefined }
      }
    }),
    terms,
    files: table<FilesRow>({
      columns: { id: "text", files: "json" },
      on: {
        SnippetUploaded: {
          rows: ({ snippet, text }) => (text?.files === undefined ? [] : [snippet]),
          to: (_, { snippet, text }) => (text?.files === undefined ? undefined : { id: snippet, files: text.files })
        },
        SnippetDeleted: { rows: one, to: () => undefined }
      }
    }),
    removed: table<RemovedRow>({
      columns: { id: "text", changed: "bigint" },
      indexes: ["(changed)"],
      on: { SnippetDeleted: { rows: one, to: (_, { snippet }, { position }) => ({ id: snippet, changed: position }) } }
    }),
    comments
  }
} satisfies Projection

/** The schema of the live build. */
export const schema = schemaOf(Snippets)
