import type { LogFile } from "./Upload.ts"

/** A log file as a caller sends it. */
export interface SentLog {
  readonly path: string
  /** Text, or binary in base64. */
  readonly content: string
  readonly encoding: "utf-8" | "base64"
  readonly contentType: string | null
}

const spaces = /[\t\n\r ]+/g
const base64 = /^[A-Za-z0-9+/]*={0,2}$/

/** What a log file holds, in bytes; `undefined`: it says base64 and is none. */
export const logBytes = ({ content, encoding }: Pick<SentLog, "content" | "encoding">): Uint8Array | undefined => {
  if (encoding === "utf-8") return Buffer.from(content)
  const plain = content.replace(spaces, "")
  return plain.length % 4 === 0 && base64.test(plain) ? Buffer.from(plain, "base64") : undefined
}

const decoded = (encoding: string, bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** The bytes' text, `null` when they are none: what has a NUL is no text, unless it says that it is UTF-16. */
export const textOf = (bytes: Uint8Array): string | null => {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
  const text = decoded(encoding, bytes)
  return text?.includes("\0") ? null : text
}

/** A log file as it is kept: its text, or that it has none. */
export const readLog = (log: SentLog): LogFile => {
  const bytes = logBytes(log) ?? new Uint8Array()
  return { path: log.path, contentType: log.contentType, size: bytes.byteLength, content: textOf(bytes) }
}
