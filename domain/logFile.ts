import { stretches } from "#engine/jsonPieces.ts"
import type { LogFile } from "./Bundle.ts"

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
/** Bytes that are decoded in one step. */
const stretch = 65_536

/** The bytes that base64 stands for; `undefined` if the text is not base64. */
function* bytesOf(content: string): Generator<void, Uint8Array | undefined> {
  const parts: Array<Uint8Array> = []
  let rest = ""
  for (const some of stretches(content)) {
    const plain = rest + some.replace(spaces, "")
    // padding must be at the very end
    if (rest.endsWith("=") && plain.length > 4) return undefined
    const whole = plain.length - (plain.length % 4)
    if (!base64.test(plain)) return undefined
    // what may be the end waits for what follows
    const last = Math.max(0, whole === plain.length ? whole - 4 : whole)
    parts.push(Buffer.from(plain.slice(0, last), "base64"))
    rest = plain.slice(last)
    if (plain.slice(0, last).endsWith("=")) return undefined
    yield
  }
  if (rest.length % 4 !== 0) return undefined
  return Buffer.concat([...parts, Buffer.from(rest, "base64")])
}

/** The text of some bytes, UTF-8 or, by their mark, UTF-16; `null` if they are not text or have a NUL character. */
function* textOf(bytes: Uint8Array): Generator<void, string | null> {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
  const decoder = new TextDecoder(encoding, { fatal: true })
  const parts: Array<string> = []
  try {
    for (let at = 0; at < bytes.length; at += stretch) {
      const part = decoder.decode(bytes.subarray(at, at + stretch), { stream: true })
      if (part.includes("\0")) return null
      parts.push(part)
      yield
    }
    decoder.decode()
  } catch {
    return null
  }
  return parts.join("")
}

/**
 * A log file as it is kept, with its text if it has one; `undefined` if it claims to be base64 and is not. A large file
 * takes many steps, so that other work can run between them.
 */
export function* readLog({ path, content, encoding, contentType }: SentLog): Generator<void, LogFile | undefined> {
  if (encoding === "utf-8") {
    // as the decoder does with the byte order mark
    const text = content.startsWith("\ufeff") ? content.slice(1) : content
    return { path, contentType, size: Buffer.byteLength(content), content: text.includes("\0") ? null : text }
  }
  const bytes = yield* bytesOf(content)
  if (bytes === undefined) return undefined
  return { path, contentType, size: bytes.byteLength, content: yield* textOf(bytes) }
}
