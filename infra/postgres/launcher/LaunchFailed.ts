import { Schema } from "effect"
import { oneLine } from "#domain/text/oneLine.ts"
import { systemCode } from "../../systemErrors.ts"

/**
 * Why the embedded Postgres is not available. `message` is one line for people and names the folder.
 *
 * - `in-use`: another process holds the data folder
 * - `other-major`: the folder was written by another major version of Postgres
 * - `no-folder`: the data folder can't be made or written, and somebody has to mend that
 * - `no-binaries`: no Postgres for this platform is installed, or it does not run
 * - `failed`: initdb or the server failed; the message carries the server's last words
 */
export class LaunchFailed extends Schema.TaggedError<LaunchFailed>()("LaunchFailed", {
  reason: Schema.Literals(["in-use", "other-major", "no-folder", "no-binaries", "failed"]),
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

/** What is so until somebody changes the path, its owner or its disk. All else (`EIO`, `ENOSPC`) may pass by itself. */
const lasting = [
  ...["EEXIST", "ENOTDIR", "ENOENT", "EACCES", "EPERM", "EROFS"],
  ...["EISDIR", "ELOOP", "ENAMETOOLONG", "EINVAL"]
]

/** For `Effect.try` around making a folder and taking its lock; `what` is how the folder is called. */
export const folderFailed =
  (folder: string, what = "data folder") =>
  (cause: unknown): LaunchFailed => {
    const { reason, message } = failedTo(`use the ${what} ${folder}`)(cause)
    if (!lasting.includes(systemCode(cause) ?? "")) return new LaunchFailed({ reason, message })
    const mend = what === "data folder" ? ". Name one that this user may make and write by CAIRN_DATA_DIR." : "."
    return new LaunchFailed({ reason: "no-folder", message: `${message}${mend}` })
  }
