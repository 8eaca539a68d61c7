import { createHash } from "node:crypto"

/** What git calls a file that has this content. */
export const blobOf = (content: string | Uint8Array): string => {
  const bytes = Buffer.from(content as Uint8Array)
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex")
}
