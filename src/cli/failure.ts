import { Cause, Data, Effect, Predicate, Redacted } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { StoreUnavailable } from "#engine/ports/EventStore.ts"
import { withFiles } from "#src/config/secrets.ts"
import { unusableDatabase } from "#src/process/unreachable.ts"
import { plain } from "./output.ts"
import type { Around } from "./surroundings.ts"

/** What the operator asked for can't be done; the message is one line that says why. */
export class Failed extends Data.TaggedError("Failed")<{ readonly message: string }> {}

/** For a command that has two stores: says which one failed, in that store's own message. */
export const whichStore = <A, E, R>(effect: Effect.Effect<A, E | StoreUnavailable, R>) =>
  Effect.mapError(effect, (error) =>
    error instanceof StoreUnavailable
      ? new Failed({ message: `${error.message} Give the command again; it goes on where it was.` })
      : error
  )

/** Sentences for refusals and faults whose tag alone says too little. */
const sentences: { readonly [tag: string]: (error: { readonly [field: string]: unknown }) => string } = {
  MemberLimitReached: ({ limit }) => `The organization has reached its limit of ${limit} members.`,
  OwnerStays: () => "The owner of an organization can't be erased or get another role: somebody has to answer for it.",
  MemberNotFound: ({ user }) => `There is no user ${user} in the organization.`,
  UserNotFound: ({ user }) => `There is no user ${user} without an organization.`,
  KeyNotFound: ({ key }) => `There is no live key ${key}.`,
  Busy: () => "The log does not take anything at the moment. Giving the command again is safe.",
  StoreUnavailable: () => "The log can't be read at the moment.",
  Unreadable: () => "The read models can't be asked at the moment.",
  BuildMoved: ({ name }) => `Another process rebuilds the read model ${name}.`,
  TierRequired: ({ tier }) => `Workspaces need the tier PRO or ENTERPRISE; the organization's is ${tier}.`
}

const sentence = (error: unknown, { env }: Around): string => {
  if (!Predicate.isObject(error)) return String(error)
  const tag = String(error["_tag"] ?? "")
  const said = sentences[tag]?.(error)
  if (said !== undefined) return said
  if (isSqlError(error)) {
    const url = withFiles(env)["DATABASE_URL"]?.trim()
    const line = unusableDatabase(error, url ? Redacted.make(url) : undefined).message
    return line.charAt(0).toUpperCase() + line.slice(1)
  }
  return typeof error["message"] === "string" && error["message"] !== "" ? error["message"] : tag || "unknown"
}

/** Why a command failed, on one line. */
export const lineOf = (cause: Cause.Cause<unknown>, around: Around): string => {
  const line = plain(sentence(Cause.squash(cause), around)).trim()
  return Cause.hasDies(cause) ? `unexpected: ${line}` : line
}
