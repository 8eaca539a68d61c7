/** A JSON object, such as a JSON schema. Its keys are its author's, and stay as they are. */
export type JsonObject = { readonly [key: string]: unknown }

/** Package name to version; a version that nobody told is `""`. */
export type Dependencies = { readonly [name: string]: string }

/** A stored snippet. Times are ISO 8601. */
export interface CodeBlock {
  /** A UUID. */
  readonly id: string
  /** What people call it; several may have the same. */
  readonly name: string
  /** What it does; `""` when nobody said. */
  readonly description: string
  /** All of its code. */
  readonly source: string
  /** The function to call. */
  readonly entrypoint: string
  /** In lower case, such as `python`. */
  readonly language: string
  /** Such as `3.11`; `null` when nobody said. */
  readonly languageVersion: string | null
  /** Package name to version. */
  readonly dependencies: Dependencies
  /** Words that it is found by. */
  readonly tags: ReadonlyArray<string>
  /** What the code can do. */
  readonly capabilities: ReadonlyArray<string>
  /** A JSON schema of what the entrypoint takes; `{}` when nothing is known. */
  readonly inputSchema: JsonObject
  /** A JSON schema of what the entrypoint gives; `{}` when nothing is known. */
  readonly outputSchema: JsonObject
  /** Tasks that it is for. */
  readonly exampleQueries: ReadonlyArray<string> | null
  /** When it was first uploaded. */
  readonly createdAt: string | null
  /** When it was last uploaded again; votes don't count. */
  readonly updatedAt: string | null
  /** The agent that stored it. */
  readonly agentId: string | null
}

export interface CodeBlockWire {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly source: string
  readonly entrypoint: string
  readonly language: string
  readonly language_version?: string | null
  readonly dependencies?: Dependencies | null
  readonly tags?: ReadonlyArray<string> | null
  readonly capabilities?: ReadonlyArray<string> | null
  readonly input_schema?: JsonObject | null
  readonly output_schema?: JsonObject | null
  readonly example_queries?: ReadonlyArray<string> | null
  readonly created_at?: string | null
  readonly updated_at?: string | null
  readonly agent_id?: string | null
}

export const codeBlockOf = (wire: CodeBlockWire): CodeBlock => ({
  id: wire.id,
  name: wire.name,
  description: wire.description,
  source: wire.source,
  entrypoint: wire.entrypoint,
  language: wire.language,
  languageVersion: wire.language_version ?? null,
  dependencies: wire.dependencies ?? {},
  tags: wire.tags ?? [],
  capabilities: wire.capabilities ?? [],
  inputSchema: wire.input_schema ?? {},
  outputSchema: wire.output_schema ?? {},
  exampleQueries: wire.example_queries ?? null,
  createdAt: wire.created_at ?? null,
  updatedAt: wire.updated_at ?? null,
  agentId: wire.agent_id ?? null
})
