import { Clock, Effect, Pull, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { ArchiveNotBegun, BackupFault } from "#ports/Backup.ts"
import { Api } from "#src/api/Api.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem, Problem } from "#src/api/Problem.ts"
import { sent } from "#src/audit/backup/sent.ts"
import { liveness } from "#src/liveness.ts"
import { cutWhenStopping } from "./eventStreams.ts"

const operation = "backups.backup"

const problemOf = (error: ArchiveNotBegun | BackupFault): Problem => {
  if (error._tag === "BackupFault") {
    // only the service's log says what is wrong with its folders
    const message = "The backup can't be made at the moment: the service's log says why."
    return new Problem({ code: "unavailable/store", message, retryAfter: 1 })
  }
  return error.reason === "recipient"
    ? fieldProblem("validation/invalid_field", "recipient", `recipient: ${error.message}`)
    : new Problem({ code: "conflict/backup_running", message: error.message })
}

const nameAt = (now: number) => `cairn-backup-${new Date(now).toISOString().replaceAll(":", "").slice(0, 17)}Z.tar`

export const layer = HttpApiBuilder.group(Api, "backups", (handlers) =>
  handlers.handle("backup", ({ query: { recipient } }) =>
    Effect.gen(function* () {
      const { key } = yield* Caller
      const request = yield* HttpServerRequest.HttpServerRequest
      const recipients = recipient === undefined ? [] : recipient.split(",")
      const isAllowed = Effect.orElseSucceed(liveness(key, operation), () => false)
      const bytes = yield* sent(recipients, key, isAllowed)
      yield* cutWhenStopping(request)
      // a failure before the first bytes is answered like any other; a later one cuts the connection
      const pull = yield* Stream.toPull(bytes)
      const first = yield* Pull.catchDone(pull, () => Effect.die(new Error("an archive is never without bytes")))
      const all = Stream.concat(Stream.fromArray(first), Stream.fromPull(Effect.succeed(pull)))
      return HttpServerResponse.stream(all, {
        contentType: "application/x-tar",
        headers: {
          "content-disposition": `attachment; filename="${nameAt(yield* Clock.currentTimeMillis)}"`,
          // no cache may keep it, and no proxy may hold it back
          "cache-control": "no-store",
          "x-accel-buffering": "no"
        }
      })
    }).pipe(Effect.catchTag(["ArchiveNotBegun", "BackupFault"], (error) => Effect.fail(problemOf(error))))
  )
)
