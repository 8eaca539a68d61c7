import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"
import type { Dependencies, JsonObject } from "./codeBlocks.ts"

/** A snippet whose name, language and entrypoint are known. */
export interface StoreCodeBlockParams {
  readonly name: string
  readonly source: string
  /** The function to call; may be `""`. */
  readonly entrypoint: string
  readonly language: string
  readonly description?: string | undefined
  readonly inputSchema?: JsonObject | undefined
  readonly outputSchema?: JsonObject | undefined
  readonly languageVersion?: string | undefined
  /** Package name to version, or names only. */
  readonly dependencies?: Dependencies | ReadonlyArray<string> | undefined
  readonly tags?: ReadonlyArray<string> | undefined
  readonly capabilities?: ReadonlyArray<string> | undefined
  readonly exampleQueries?: ReadonlyArray<string> | undefined
}

export interface StoreCodeBlockResponse extends Result {
  readonly success: boolean
  readonly codeBlockId: string
  readonly embeddingId: string
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
    example_queries: params.exampleQueries
  },
  answer: json((wire: StoredWire) => ({
    success: wire.success,
    codeBlockId: wire.code_block_id,
    embeddingId: wire.embedding_id,
    message: wire.message
  }))
})
