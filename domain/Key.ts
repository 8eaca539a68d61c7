import { createHash } from "node:crypto"
import { Data, Schema } from "effect"
import { text } from "#engine/Event.ts"

/** A user's role in an organization, and the authority of a key: it is the key's own, given when the key was made. */
export const Role = Schema.Literals(["owner", "admin", "member"])
export type Role = typeof Role.Type

/** What a key's text looks like: `cairn_live_` and 43 base62 characters (256 random bits and more). */
export const keyPattern = /^cairn_live_[0-9A-Za-z]{43}$/

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** A key's full text from at least 43 random bytes; bytes that would make some characters likelier are passed over. */
export const keyFrom = (random: Uint8Array): string | undefined => {
  let out = ""
  for (const byte of random) {
    if (byte < 248) out += alphabet[byte % 62]
    if (out.length === 43) return `cairn_live_${out}`
  }
  return undefined
}

/** What is stored of a key. A key has 256 random bits, so that one round of SHA-256 is enough. */
export const keyHash = (key: string): string => createHash("sha256").update(key).digest("hex")

/** The part of a key that is safe to show. */
export const keyPrefix = (key: string): string => key.slice(0, 20)

/** A key as it is recorded, in the stream of its organization or, without one, of its user. */
export const KeyCreated = {
  key: Schema.String,
  user: Schema.String,
  role: Role,
  hash: Schema.String,
  prefix: Schema.String,
  ...text({ name: Schema.String })
}

export const KeyRevoked = { key: Schema.String, user: Schema.String }

/** What a command says of a key to be made; its random parts come from the edge. */
export interface NewKey {
  readonly key: string
  readonly name: string
  readonly hash: string
  readonly prefix: string
}

/** The stream has no key with this id, or it was revoked. */
export class KeyNotFound extends Data.TaggedError("KeyNotFound")<{ readonly key: string }> {}
