import { Effect } from "effect"
import { McpSchema } from "effect/ai"

/**
 * Bytes of a file that a message can carry: memory holds it as bytes, as text and as the message before any of it can
 * leave.
 */
export const mostBytes = 8 * 1024 * 1024

const tooLarge = new McpSchema.InvalidParams({
  message: "The file is larger than 8 MiB, which is too much for a message. Read it over the REST API, or by git clone."
})

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    const text = utf8.decode(bytes)
    return text.includes("\u0000") ? undefined : text
  } catch {
    return undefined
  }
}

/**
 * What a resource answers for a file: text if its bytes are text, otherwise the bytes. Fails if it is too large
 * (`undefined`).
 */
export const contentOf = (uri: string, bytes: Uint8Array | undefined) => {
  if (bytes === undefined || bytes.length > mostBytes) return Effect.fail(tooLarge)
  const text = textOf(bytes)
  const content =
    text === undefined
      ? { uri, mimeType: "application/octet-stream", blob: bytes }
      : { uri, mimeType: "text/plain", text }
  return Effect.succeed({ contents: [content] })
}
