import { createHash } from "node:crypto"
import { Data, Schema } from "effect"
import { text } from "#engine/Event.ts"

/** A person's role in an organization, or the authority of a key, from greatest to least. */
export const Role = Schema.Literals(["owner", "admin", "member", "reader"])
export type Role = typeof Role.Type

/** The lesser of two roles. */
export const lesser = (one: Role, other: Role): Role =>
  Role.literals.indexOf(one) > Role.literals.indexOf(other) ? one : other

/** Whether a role is greater than another. */
export const isAbove = (one: Role, other: Role): boolean => Role.literals.indexOf(one) < Role.literals.indexOf(other)

/** Whose workspaces a key works in: those of its own person, or those of everyone that a back end acts for. */
export const ActsFor = Schema.Literals(["own", "any"])
export type ActsFor = typeof ActsFor.Type

const limits = {
  actsFor: ActsFor,
  readOnly: Schema.Boolean,
  /** When the key expires, in milliseconds since the epoch; `null`: never. */
  expiresAt: Schema.NullOr(Schema.Int),
  /** Ids of the workspaces that the key works in; `null`: all. */
  workspaces: Schema.NullOr(Schema.Array(Schema.String)),
  /** Names of the models that the key may ask for; `null`: all. */
  models: Schema.NullOr(Schema.Array(Schema.String))
}
const Limits = Schema.Struct(limits)

/** What bounds a key besides its role. */
export interface KeyLimits extends Schema.Schema.Type<typeof Limits> {}

/** No limits besides the role, as for every key before there were limits. */
export const unlimited: KeyLimits = { actsFor: "any", readOnly: false, expiresAt: null, workspaces: null, models: null }

/** What a key's text looks like: `cairn_live_` and 43 base62 characters (256 random bits and more). */
export const keyPattern = /^cairn_live_[0-9A-Za-z]{43}$/

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** A key's full text from at least 43 random bytes. Skips bytes that would make some characters likelier. */
export const keyFrom = (random: Uint8Array): string | undefined => {
  let out = ""
  for (const byte of random) {
    if (byte < 248) out += alphabet[byte % 62]
    if (out.length === 43) return `cairn_live_${out}`
  }
  return undefined
}

/** The hash that is stored of a key. A key has 256 random bits, so one round of SHA-256 is enough. */
export const keyHash = (key: string): string => createHash("sha256").update(key).digest("hex")

/** The part of a key that is safe to show. */
export const keyPrefix = (key: string): string => key.slice(0, 20)

/** A key as it is recorded: in the stream of its organization or, without one, of its user. */
export const KeyCreated = {
  key: Schema.String,
  user: Schema.String,
  /** The key's own role, which may be less than the person's; `null`: the person's current role. */
  role: Schema.NullOr(Role),
  hash: Schema.String,
  prefix: Schema.String,
  ...limits,
  /** `userId`: the person's `user_id` in chats, if it is not their e-mail. */
  ...text({ name: Schema.String, userId: Schema.NullOr(Schema.String) })
}

/** All bounds of a key from now on, including those that have not changed. */
export const KeyLimited = { key: Schema.String, role: Schema.NullOr(Role), ...limits }

export const KeyRevoked = { key: Schema.String, user: Schema.String }

/** A key to be made, as a command gives it; its random parts come from the edge. */
export interface NewKey {
  readonly key: string
  readonly name: string
  /** The person's `user_id` in chats, if it is not their e-mail. */
  readonly userId?: string | null
  readonly hash: string
  readonly prefix: string
}

/** The stream has no key with this id, or it was revoked. */
export class KeyNotFound extends Data.TaggedError("KeyNotFound")<{ readonly key: string }> {}
