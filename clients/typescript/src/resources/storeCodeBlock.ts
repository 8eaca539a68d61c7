import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"
import type { Dependencies, JsonObject } from "./codeBlocks.ts"

/** A snippet whose name, language and entrypoint are known. */
export interface StoreCodeBlockParams {
  /** What people call it. */
  readonly name: string
  /** All of its code: at most 1 MiB of UTF-8. */
  readonly source: string
  /** The function to call; may be `""`. */
  readonly entrypoint: string
  /** Such as `python`. */
  readonly language: string
  /** What it does: it is found by this. */
  readonly description?: string | undefined
  /** A JSON schema of what the entrypoint takes. */
  readonly inputSchema?: JsonObject | undefined
  /** A JSON schema of what the entrypoint gives. */
  readonly outputSchema?: JsonObject | undefined
  /** Such as `3.11`. */
  readonly languageVersion?: string | undefined
  /** Package name to version, or names only. */
  readonly dependencies?: Dependencies | ReadonlyArray<string> | undefined
  /** Words that it is found by. */
  readonly tags?: ReadonlyArray<string> | undefined
  /** What it can do. */
  readonly capabilities?: ReadonlyArray<string> | undefined
  /** Tasks that it is for: it is found by them. */
  readonly exampleQueries?: ReadonlyArray<string> | undefined
  /** Whether everybody may find it. Refused when it holds a secret. Default: no. */
  readonly public?: boolean | undefined
  /** In place of the client's workspace. */
  readonly workspaceId?: string | undefined
}

/** What `snippets.create` gives. */
export interface StoreCodeBlockResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** The snippet's id. */
  readonly codeBlockId: string
  /** The same as `codeBlockId`. */
  readonly embeddingId: string
  /** For a person. */
  readonly message: string
}

interface StoredWire {
  readonly success: boolean
  readonly code_block_id: string
  readonly embedding_id: string
  readonly message: string
}

export const storeCodeBlock = (params: StoreCodeBlockParams): Call<StoreCodeBlockResponse> => ({
  method: "POST",
  path: "/api/store/code-block",
  workspaceId: params.workspaceId,
  body: {
    name: params.name,
    source: params.source,
    entrypoint: params.entrypoint,
    language: params.language,
    description: params.description,
    input_schema: params.inputSchema,
    output_schema: params.outputSchema,
    language_version: params.languageVersion,
    dependencies: params.dependencies,
    tags: params.tags,
    capabilities: params.capabilities,
    example_queries: params.exampleQueries,
    public: params.public
  },
  answer: json((wire: StoredWire) => ({
    success: wire.success,
    codeBlockId: wire.code_block_id,
    embeddingId: wire.embedding_id,
    message: wire.message
  }))
})
