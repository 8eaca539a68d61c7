import type { Holder, Scope } from "#domain/Scope.ts"
import { isNear } from "#domain/search/offered.ts"
import type { ShownComment } from "#src/api/Comments.ts"
import type { SearchMatch, SearchRequest } from "#src/api/Snippets/search.ts"
import type { Reputed } from "#src/snippets/reputation.ts"
import type { FoundSnippet, SearchQuestion } from "#src/snippets/search.ts"
import { shownFunction } from "../Functions.ts"
import { shownExplanation } from "./explanation.ts"

/** The share of uploads and runs that went well, among those whose outcome is known; 1: there are none. */
const resilience = ({ runs, succeeded }: FoundSnippet["snippet"]): number => (runs === 0 ? 1 : succeeded / runs)

const repository = (snippet: FoundSnippet["snippet"]) =>
  snippet.kind === "repo"
    ? {
        type: "repo" as const,
        download_url: `/api/store/repo/${snippet.id}`,
        file_tree: snippet.file_tree ?? "",
        file_count: snippet.file_count ?? 0,
        framework: snippet.framework,
        readme_preview: snippet.readme_preview ?? ""
      }
    : { type: "file" as const }

/** A match as the API tells it. Of somebody else's public snippet it has the code, but neither agent nor tasks. */
export const matchOf = (
  { homes }: Scope,
  { snippet, match, filename }: FoundSnippet,
  comments: ReadonlyArray<ShownComment>,
  reputed?: Reputed
): SearchMatch => {
  const own = homes.includes(snippet.home)
  const agent = own ? snippet.agent : null
  return {
    code_block: {
      id: snippet.id,
      name: snippet.name,
      description: snippet.description,
      source: reputed?.source ?? snippet.source,
      entrypoint: snippet.entrypoint,
      language: snippet.language,
      language_version: snippet.language_version,
      dependencies: snippet.dependencies,
      tags: snippet.tags,
      capabilities: snippet.capabilities,
      input_schema: snippet.input_schema,
      output_schema: snippet.output_schema,
      example_queries: own ? snippet.example_queries : null,
      created_at: snippet.created_at.toISOString(),
      updated_at: snippet.updated_at.toISOString(),
      agent_id: agent
    },
    score: match.score,
    combined_score: match.score,
    vector_score: match.vector,
    verdict_score: match.verdict,
    offered: isNear(match) && snippet.down <= snippet.up,
    error_resilience: resilience(snippet),
    thumbs_up: snippet.up,
    thumbs_down: snippet.down,
    filename,
    language: snippet.language,
    entrypoint: snippet.entrypoint,
    dependencies: snippet.dependencies,
    agent_id: agent,
    comments,
    functions: reputed?.functions.map(shownFunction) ?? null,
    ...(match.explanation === undefined ? {} : { explanation: shownExplanation(match.explanation, own) }),
    ...repository(snippet)
  }
}

/** What was searched, in words. */
export const namespacesOf = ({ tenant, organization }: Holder, { homes, includePublic }: Scope): Array<string> => [
  ...homes.map((home) => (home !== tenant ? "workspace" : organization === null ? "personal" : "organization")),
  ...(includePublic ? ["public"] : [])
]

/** The kinds that the request limits its search to; without `kinds`, it searches all of them. */
export const kindsOf = ({
  content_type,
  result_type
}: typeof SearchRequest.Type): { readonly kinds?: NonNullable<SearchQuestion["kinds"]> } => {
  const byResult = result_type === "repo" ? (["repo"] as const) : (["file", "route", "script"] as const)
  const any = result_type == null || result_type === "any"
  if (content_type == null) return any ? {} : { kinds: byResult }
  return { kinds: any ? [content_type] : byResult.filter((kind) => kind === content_type) }
}
