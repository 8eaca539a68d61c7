import type { JsonObject } from "../../resources/codeBlocks.ts"

/** A JSON schema of an object: the given one, or one of required properties from names with type names. */
export const toolSchema = (inputSchema: JsonObject): JsonObject => {
  if (inputSchema["type"] === "object") return inputSchema
  const properties = Object.fromEntries(
    Object.entries(inputSchema).map(([key, type]) => [key, typeof type === "string" ? { type } : type])
  )
  return { type: "object", properties, required: Object.keys(properties) }
}
