import { createHash } from "node:crypto"

/**
 * A salted digest of a payload (SHA-256), 64 hexadecimal digits: what the log holds of a text that is kept beside it.
 */
export const saltedDigest = (salt: Uint8Array, bytes: Uint8Array): string =>
  createHash("sha256").update(salt).update(bytes).digest("hex")
