import type { RepositoryFile } from "#domain/Repository/files.ts"
import type { SnippetKind, WithdrawnFor } from "#domain/Snippet/events.ts"
import type { IndexedText } from "#domain/search/IndexedText.ts"

export type Json = { readonly [key: string]: unknown }

/** A snippet's catalogue entry. */
export interface SnippetRow {
  readonly id: string
  readonly tenant: string
  readonly home: string
  readonly author: string | null
  readonly agent: string | null
  readonly published: boolean
  readonly kind: SnippetKind
  readonly name: string
  readonly path: string
  readonly description: string
  readonly source: string
  readonly entrypoint: string
  readonly language: string
  readonly language_version: string | null
  readonly dependencies: { readonly [name: string]: string }
  readonly tags: ReadonlyArray<string>
  readonly capabilities: ReadonlyArray<string>
  readonly input_schema: Json
  /** Names of the input schema's top-level properties. */
  readonly input_properties: ReadonlyArray<string>
  readonly output_schema: Json
  readonly example_queries: ReadonlyArray<string>
  readonly external_id: string | null
  /** The uploader's name for the workspace it lives in; `null`: it lives in none. */
  readonly workspace: string | null
  /** Of a repository: its paths, one per line; `null` for a single file. */
  readonly file_tree: string | null
  readonly file_count: number | null
  readonly framework: string | null
  readonly readme_preview: string | null
  /** Why it is not public any more; `null`: it was never withdrawn, or is public again. */
  readonly withdrawn_for: ReadonlyArray<WithdrawnFor> | null
  readonly created_at: string
  readonly updated_at: string
}

/** A snippet's votes and runs: a small row of its own, because it changes often. */
export interface VotesRow {
  readonly id: string
  readonly kind: SnippetKind
  readonly language: string
  readonly published: boolean
  readonly up: number
  readonly down: number
  /** Those of `up` that people gave. */
  readonly human_up: number
  /** Those of `down` that people gave. */
  readonly human_down: number
  /** Uploads and runs whose outcome is known, and how many of them went well. */
  readonly runs: number
  readonly succeeded: number
  readonly created_at: string
  /** Position of the last change that concerns an index, which reads on from there. */
  readonly changed: number
}

/**
 * Why a snippet can't be found by all of its text. `long`: its source is longer than the part that is searched.
 * `failed`: no terms could be made of its text.
 */
export type WhyLeftOut = "long" | "failed"

/** What an index needs of a snippet: its terms and its meaning, not its text. */
export interface TermsRow {
  readonly id: string
  readonly home: string
  readonly agent: string | null
  readonly published: boolean
  readonly completeness: number
  readonly tasks: ReadonlyArray<string>
  readonly text: IndexedText
  /** Of name, description and source, as `vectorToText` writes it; `""`: nothing in them can be read. */
  readonly vector: string
  /** Of the tasks, written the same way; it is added to `vector`. */
  readonly task_vector: string
  /** As `profileToText` writes it. */
  readonly profile: string
  /** `null`: all of it is searched. */
  readonly left_out: WhyLeftOut | null
  readonly changed: number
}

/** The files of a repository. */
export interface FilesRow {
  readonly id: string
  readonly files: ReadonlyArray<RepositoryFile>
}

/** A deleted snippet: an index must know what to drop. */
export interface RemovedRow {
  readonly id: string
  readonly changed: number
}
