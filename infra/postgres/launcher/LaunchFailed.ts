import { Schema } from "effect"
import { oneLine } from "#domain/text/oneLine.ts"

/**
 * Why the embedded Postgres is not available. `message` is one line for people and names the folder.
 *
 * - `in-use`: another process holds the data folder
 * - `other-major`: the folder was written by another major version of Postgres
 * - `no-binaries`: no Postgres for this platform is installed, or it does not run
 * - `failed`: initdb or the server failed; the message carries the server's last words
 */
export class LaunchFailed extends Schema.TaggedError<LaunchFailed>()("LaunchFailed", {
  reason: Schema.Literals(["in-use", "other-major", "no-binaries", "failed"]),
  message: Schema.String
}) {}

/** A `LaunchFailed` of reason `failed`, with its message on one line. */
export const failed = (message: string): LaunchFailed =>
  new LaunchFailed({ reason: "failed", message: oneLine(message) })

/** For `Effect.try` and `Effect.tryPromise` around file operations. */
export const failedTo =
  (doing: string) =>
  (cause: unknown): LaunchFailed =>
    cause instanceof LaunchFailed
      ? cause
      : failed(`Cannot ${doing}: ${cause instanceof Error ? cause.message : String(cause)}`)
