import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isPermitted } from "#domain/access/permitted.ts"
import { mayAsk, worksIn } from "#domain/access/reach.ts"
import type { BoundRefusal } from "#domain/bounded.ts"
import { Asker, longPatience } from "#engine/ask.ts"
import { LanguageModel } from "#ports/LanguageModel.ts"
import { Consumption } from "#projections/Consumption/tables.ts"
import { holderOfKey } from "#projections/Keys/holders.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { Disks, fullFor } from "#src/disks.ts"
import { boundsRefusal, told } from "#src/usage/bounds.ts"
import { bytesMore, Storage } from "#src/usage/Storage.ts"
import { ConversationStopped } from "./loop.ts"
import type { Past } from "./past.ts"
import { superseded } from "./recording.ts"

const bounded = (refusal: BoundRefusal) =>
  new ConversationStopped({ reason: "bound", error: `${told(refusal)} What the run had written is saved.` })

/**
 * Gives the check whether a run may ask its model once more, with `turns` turns begun and `written` bytes uncommitted.
 * It fails if the key is no longer valid, may not do this or has come to a bound, or if a disk is nearly full.
 */
export const permissionOf = Effect.fnUntraced(function* (requested: Past["requested"]) {
  const asker = yield* Asker
  const sql = yield* SqlClient.SqlClient
  const model = yield* LanguageModel
  const disks = yield* Disks
  const storage = yield* Storage
  const { tenant, event } = requested
  const { key, workspace, model: name, text } = event
  return Effect.fnUntraced(function* (turns: number, written: Effect.Effect<number> = Effect.succeed(0)) {
    const noRoom = fullFor(disks(), "chat.chat")
    if (noRoom !== undefined) {
      const error = `${noRoom} The run took no further turn, and what it had written is saved: ask it to go on then.`
      return yield* new ConversationStopped({ reason: "interrupted", error })
    }
    const holder = yield* asker
      .fresh(Keys, longPatience)
      .pipe(
        Effect.andThen(holderOfKey(key)),
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.mapError(superseded)
      )
    const now = yield* Clock.currentTimeMillis
    const user = text?.user ?? ""
    if (!isPermitted(holder, "chat.chat", now) || !worksIn(holder, { id: workspace, user }) || !mayAsk(holder, name)) {
      const error =
        "The API key of this run was revoked, has expired, or may not do this any more. What it had written is saved."
      return yield* new ConversationStopped({ reason: "revoked", error })
    }
    const refusal = yield* asker
      .fresh(Consumption, longPatience)
      .pipe(
        Effect.andThen(boundsRefusal({ tenant, key, model: name, turns, requested })),
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.provideService(LanguageModel, model),
        Effect.mapError(superseded)
      )
    if (refusal !== undefined) return yield* bounded(refusal)
    const more = Effect.flatMap(written, bytesMore)
    yield* storage
      .check({ tenant, key, more })
      .pipe(Effect.mapError((error) => (error._tag === "StorageBoundReached" ? bounded(error) : superseded())))
  })
})

export type Permission = Effect.Success<ReturnType<typeof permissionOf>>
