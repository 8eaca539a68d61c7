import { Buffer } from "node:buffer"
import { positionOf } from "#engine/Position.ts"
import { BackupFault } from "#ports/Backup.ts"
import type { WholeEvent } from "#ports/LogCopy.ts"

/** The bytes as text if they are UTF-8, as all are that Cairn writes; otherwise as base64. */
const textOf = (bytes: Uint8Array): { readonly text: string } | { readonly base64: string } => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const text = buffer.toString("utf8")
  return Buffer.from(text, "utf8").equals(buffer) ? { text } : { base64: buffer.toString("base64") }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** An event as a line of JSON, with all that the store has of it. */
export const lineOf = ({ text, digest, recordedAt, ...event }: WholeEvent): string =>
  `${JSON.stringify({
    ...event,
    recordedAt: new Date(recordedAt).toISOString(),
    text: text === null ? null : { subject: text.subject, salt: hex(text.salt), ...textOf(text.bytes) },
    digest: digest === null ? null : hex(digest)
  })}\n`

/** The event of a line; throws `BackupFault` if the line is none. */
export const eventOf = (line: string): WholeEvent => {
  try {
    const { text, digest, recordedAt, position, ...event } = JSON.parse(line)
    const bytes = (value: string, encoding: "hex" | "utf8" | "base64") => new Uint8Array(Buffer.from(value, encoding))
    return {
      ...event,
      position: positionOf(position),
      recordedAt: Date.parse(recordedAt),
      text:
        text === null
          ? null
          : {
              subject: text.subject,
              salt: bytes(text.salt, "hex"),
              bytes: text.text === undefined ? bytes(text.base64, "base64") : bytes(text.text, "utf8")
            },
      digest: digest === null ? null : bytes(digest, "hex")
    }
  } catch {
    throw new BackupFault({ message: "The backup's log has a line that is no event." })
  }
}
