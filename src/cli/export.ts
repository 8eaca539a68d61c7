import { Effect, Option, Stream } from "effect"
import { Command } from "effect/cli"
import type { RepositoryFile } from "#domain/Repository/files.ts"
import { type CatalogueEntry, snippetsAfter } from "#projections/Snippets/queries.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { repositoryFiles } from "#src/snippets/repositoryFiles.ts"
import { homeIn, workspaceFlag } from "./import.ts"
import { onLog, upToDate } from "./log.ts"
import { organizationOf, orgFlag } from "./organization.ts"
import { Json, write } from "./output.ts"

/** How much is in memory at once; files of repositories are read one repository at a time. */
const page = { rows: 500, bytes: 8 * 1024 * 1024 }

/** What `cairn import` reads, then what it ignores: ids, times, whether it is public, sums of votes. */
const shown = (snippet: CatalogueEntry, files: ReadonlyArray<RepositoryFile> | undefined) => ({
  id: snippet.external_id ?? snippet.id,
  name: snippet.name,
  path: snippet.path,
  kind: snippet.kind,
  description: snippet.description,
  source: snippet.source,
  language: snippet.language,
  language_version: snippet.language_version,
  entrypoint: snippet.entrypoint,
  tags: snippet.tags,
  capabilities: snippet.capabilities,
  input_schema: snippet.input_schema,
  output_schema: snippet.output_schema,
  example_queries: snippet.example_queries,
  dependencies: snippet.dependencies,
  workspace: snippet.workspace,
  agent_id: snippet.agent,
  votes: {
    human: { up: snippet.human_up, down: snippet.human_down },
    ai: { up: snippet.up - snippet.human_up, down: snippet.down - snippet.human_down }
  },
  ...(files && { files }),
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
      const snippets = Stream.paginate("", (after: string) =>
        Effect.map(snippetsAfter(organization.id, home, after, page), (rows) => {
          const last = rows.at(-1)?.id
          return [rows, last === undefined ? Option.none<string>() : Option.some(last)] as const
        })
      )
      if (json) yield* write(`{"organization_id":${JSON.stringify(organization.id)},"snippets":[`)
      let first = true
      yield* Stream.runForEach(snippets, (snippet) =>
        Effect.gen(function* () {
          const files = snippet.kind === "repo" ? yield* repositoryFiles(snippet.id) : undefined
          const line = JSON.stringify(shown(snippet, files))
          const before = first ? "" : ","
          first = false
          yield* write(json ? before + line : `${line}\n`)
        })
      )
      if (json) yield* write("]}\n")
    })
  )
).pipe(Command.withDescription("Write an organization's snippets as JSON lines, which import reads"))
