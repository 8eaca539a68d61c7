import { Effect, Layer } from "effect"
import { beginning, type Position } from "#engine/Position.ts"
import { EventStore, type Page } from "#engine/ports/EventStore.ts"
import { AuditUnavailable, LogAudit } from "#ports/LogAudit.ts"

const notHere = Effect.fail(
  new AuditUnavailable({
    message:
      "The log is in KurrentDB, which can't be looked at from below: it checks its own files when it starts. `cairn replay --compare` compares the read models with the log."
  })
)

/** What can be told of a log in KurrentDB: where it was at a time, by reading it. Its records can't be looked at, which is refused. */
export const layer = Layer.effect(
  LogAudit,
  Effect.gen(function* () {
    const { readAll } = yield* EventStore

    /** Up to the first event behind the time: clocks of several processes may differ, what came after that one came later. */
    const at = Effect.fnUntraced(function* (time: number) {
      let reached: Position = beginning
      for (;;) {
        const { events, more }: Page = yield* readAll(reached, { factsOnly: true })
        for (const { position, recordedAt } of events) {
          if (recordedAt > time) return reached
          reached = position
        }
        if (!more) return reached
      }
    })

    return LogAudit.of({
      missingBetween: () => undefined,
      missingUpTo: () => undefined,
      at: (time) =>
        Effect.mapError(at(time), () => new AuditUnavailable({ message: "The log can't be read at the moment." })),
      read: () => notHere,
      strays: notHere
    })
  })
)
