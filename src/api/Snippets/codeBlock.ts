import { Schema } from "effect"
import { AnyText, Dependencies, FileContent, JsonSchema, optional, TextOrEmpty, textUpTo } from "../fields.ts"
import { Tags } from "./upload.ts"

const Strings = (longest: number) =>
  Schema.Array(AnyText.check(Schema.isMaxLength(longest))).check(
    Schema.isMaxLength(100, { message: "has too many entries; expected at most 100" })
  )

export const StoreCodeBlockRequest = Schema.Struct({
  name: textUpTo(1_000),
  source: FileContent.check(Schema.isMinLength(1, { message: "is empty; expected 1 character to 1 MiB" })),
  /** The function to call; may be empty. */
  entrypoint: AnyText.check(Schema.isMaxLength(1_000)),
  language: textUpTo(100),
  description: optional(TextOrEmpty),
  input_schema: optional(JsonSchema),
  output_schema: optional(JsonSchema),
  language_version: optional(AnyText.check(Schema.isMaxLength(200))),
  dependencies: optional(Dependencies),
  tags: optional(Tags),
  capabilities: optional(Strings(1_000)),
  example_queries: optional(Strings(10_000)),
  public: optional(Schema.Boolean)
}).annotate({ identifier: "StoreCodeBlockRequest" })
export type StoreCodeBlockRequest = typeof StoreCodeBlockRequest.Type

export const StoreCodeBlockResponse = Schema.Struct({
  success: Schema.Boolean,
  code_block_id: Schema.String,
  /** The same id: a snippet is its own entry in the index. */
  embedding_id: Schema.String,
  message: Schema.String
}).annotate({ identifier: "StoreCodeBlockResponse" })
