import { type Projection, schemaOf } from "#engine/Projection.ts"
import { table } from "../table.ts"
import { noRuns, type RunsRow, withRun } from "./runs.ts"

/** A function of a snippet whose reputation is kept. */
export interface FunctionRow {
  readonly id: string
  readonly tenant: string
  readonly home: string
  readonly snippet: string
  readonly fingerprint: string
  readonly name: string
  readonly signature: string
  /** 1-based line above which a comment on it may stand; `null`: not known. */
  readonly line: number | null
  readonly agent: string | null
  /** From 0, in order of the source. */
  readonly place: number
  /** Since when its reputation is kept. */
  readonly position: number
  readonly found_at: string
}

/** A snippet that a person has voted on. */
interface ReviewedRow {
  readonly id: string
}

const one = ({ snippet }: { readonly snippet: string }) => [snippet]

/** Two functions of one source may have the same fingerprint: then the first one stands for both. */
const distinct = <F extends { readonly fingerprint: string }>(functions: ReadonlyArray<F>): ReadonlyArray<F> => {
  const seen = new Set<string>()
  return functions.filter(({ fingerprint }) => seen.size < seen.add(fingerprint).size)
}

const idOf = (snippet: string, { fingerprint }: { readonly fingerprint: string }) => `${snippet}/${fingerprint}`

/** Read model `functions`: which snippets hold which functions, and what their runs tell of them. */
export const Functions = {
  name: "functions",
  version: 2,
  tables: {
    functions: table<FunctionRow>({
      columns: {
        id: "text",
        tenant: "text",
        home: "text",
        snippet: "text",
        fingerprint: "text",
        name: "text",
        signature: "text",
        line: "integer",
        agent: "text",
        place: "integer",
        position: "bigint",
        found_at: "timestamptz"
      },
      indexes: ["(fingerprint, tenant, position)", "(home, name, position)", "(snippet)"],
      on: {
        FunctionsTracked: {
          rows: ({ snippet, text }) => distinct(text?.functions ?? []).map((found) => idOf(snippet, found)),
          to: (_, { snippet, home, text }, { tenant, position, recordedAt }, id) => {
            const found = distinct(text?.functions ?? [])
            const place = found.findIndex((one) => idOf(snippet, one) === id)
            if (text === null || place === -1) return undefined
            const { fingerprint, name, signature, line } = found[place]!
            return {
              id,
              tenant,
              home,
              snippet,
              fingerprint,
              name,
              signature,
              line: line ?? null,
              agent: text.agent,
              place,
              position,
              found_at: new Date(recordedAt).toISOString()
            }
          }
        }
      },
      drops: { SnippetDeleted: { column: "snippet", value: ({ snippet }) => snippet } }
    }),
    runs: table<RunsRow>({
      columns: {
        id: "text",
        executions: "integer",
        succeeded_at: "timestamptz",
        failed_at: "timestamptz",
        functions: "json",
        errors: "json",
        recent: "json"
      },
      on: {
        FunctionsTracked: {
          rows: one,
          to: (row, { snippet, text }) => row ?? (text === null ? undefined : noRuns(snippet, distinct(text.functions)))
        },
        FunctionsObserved: {
          rows: one,
          to: (row, { succeeded, text }, { recordedAt }) =>
            row && withRun(row, new Date(recordedAt).toISOString(), succeeded, text ?? { telemetry: [], errors: [] })
        },
        SnippetDeleted: { rows: one, to: () => undefined }
      }
    }),
    reviewed: table<ReviewedRow>({
      columns: { id: "text" },
      on: {
        VoteCast: {
          rows: ({ snippet, source }) => (source === "human" ? [snippet] : []),
          to: (_, { snippet }) => ({ id: snippet })
        },
        SnippetDeleted: { rows: one, to: () => undefined }
      }
    })
  }
} satisfies Projection

export const schema = `"${schemaOf(Functions)}"`
