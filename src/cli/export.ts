import { Effect, Option, Stream } from "effect"
import { Command } from "effect/cli"
import { type CatalogueEntry, snippetsAfter } from "#projections/Snippets/queries.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { homeIn, workspaceFlag } from "./import.ts"
import { onLog, upToDate } from "./log.ts"
import { organizationOf, orgFlag } from "./organization.ts"
import { Json, write } from "./output.ts"

const page = 500

/** What `cairn import` reads, and what it leaves aside: ids, times, votes. */
const shown = (snippet: CatalogueEntry) => ({
  id: snippet.external_id ?? snippet.id,
  name: snippet.name,
  description: snippet.description,
  source: snippet.source,
  language: snippet.language,
  entrypoint: snippet.entrypoint,
  tags: snippet.tags,
  example_queries: snippet.example_queries,
  dependencies: snippet.dependencies,
  snippet_id: snippet.id,
  public: snippet.published,
  thumbs_up: snippet.up,
  thumbs_down: snippet.down,
  created_at: snippet.created_at.toISOString(),
  updated_at: snippet.updated_at.toISOString()
})

export const command = Command.make("export", { org: orgFlag, workspace: workspaceFlag }, ({ org, workspace }) =>
  onLog(
    Effect.gen(function* () {
      const json = yield* Json
      const organization = yield* organizationOf(org)
      const home = Option.isSome(workspace) ? (yield* homeIn(organization, workspace)).home : null
      yield* upToDate(Snippets)
      const pages = Stream.paginate("", (after: string) =>
        Effect.map(snippetsAfter(organization.id, home, after, page), (rows) => {
          const next = rows.length < page ? Option.none<string>() : Option.some(rows.at(-1)!.id)
          return [rows.map((row) => JSON.stringify(shown(row))), next] as const
        })
      )
      if (json) yield* write(`{"organization_id":${JSON.stringify(organization.id)},"snippets":[`)
      let first = true
      yield* Stream.runForEachArray(pages, (lines) => {
        const before = first || lines.length === 0 ? "" : ","
        first = first && lines.length === 0
        return write(json ? before + lines.join(",") : lines.map((line) => `${line}\n`).join(""))
      })
      if (json) yield* write("]}\n")
    })
  )
).pipe(Command.withDescription("Write an organization's snippets as JSON lines, as import reads them"))
