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
/** Bytes that are decoded on end. */
const stretch = 65_536

/** What base64 holds; `undefined`: it is none. */
function* bytesOf(content: string): Generator<void, Uint8Array | undefined> {
  const parts: Array<Uint8Array> = []
  let rest = ""
  for (const some of stretches(content)) {
    const plain = rest + some.replace(spaces, "")
    // the padding is the end of all
    if (rest.endsWith("=") && plain.length > 4) return undefined
    const whole = plain.length - (plain.length % 4)
    if (!base64.test(plain)) return undefined
    // what may be the end is kept until something follows
    const last = Math.max(0, whole === plain.length ? whole - 4 : whole)
    parts.push(Buffer.from(plain.slice(0, last), "base64"))
    rest = plain.slice(last)
    if (plain.slice(0, last).endsWith("=")) return undefined
    yield
  }
  if (rest.length % 4 !== 0) return undefined
  return Buffer.concat([...parts, Buffer.from(rest, "base64")])
}

/** The bytes' text, `null` when they are none: what has a NUL is no text, unless it says that it is UTF-16. */
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
 * A log file as it is kept: its text, or that it has none; `undefined`: it says base64 and is none. Large ones take
 * many steps: others may have their turn between them.
 */
export function* readLog({ path, content, encoding, contentType }: SentLog): Generator<void, LogFile | undefined> {
  if (encoding === "utf-8") {
    // as the decoder does
    const text = content.startsWith("\ufeff") ? content.slice(1) : content
    return { path, contentType, size: Buffer.byteLength(content), content: text.includes("\0") ? null : text }
  }
  const bytes = yield* bytesOf(content)
  if (bytes === undefined) return undefined
  return { path, contentType, size: bytes.byteLength, content: yield* textOf(bytes) }
}
