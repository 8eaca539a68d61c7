import { Effect, Stream } from "effect"
import { derivedId } from "#engine/derivedId.ts"
import { actorOf } from "#src/actor.ts"
import type { ChatRequest } from "#src/api/Chat.ts"
import { Caller } from "#src/api/middleware.ts"
import { Progress } from "#src/mcp/Progress.ts"
import { followRun } from "#src/workspaces/following.ts"
import { turnOf } from "#src/workspaces/turns.ts"
import type { AskedChat } from "../Chat/answer.ts"
import { chat } from "../Chat.ts"
import { cancelRun } from "../Runs/cancel.ts"

/** Tells the client that waits for a run each of its turns, and cancels the run when the client takes its call back. */
const watch = Effect.fnUntraced(function* ({ run, workspace, generation }: AskedChat, user: string) {
  const { tell, whenTaken } = yield* Progress
  const holder = yield* Caller
  const { tenant, key } = holder
  const metadata = { commandId: derivedId("cancel", run), correlationId: run, actor: actorOf(holder) }
  const cancelling = cancelRun(run, workspace, metadata)
  const services = yield* Effect.context<Effect.Services<typeof cancelling>>()
  // a run that has ended meanwhile, or was cancelled before, needs nothing more
  whenTaken(
    cancelling.pipe(
      Effect.catchTag("ChatOver", () => Effect.void),
      Effect.catchCause((cause) =>
        Effect.logWarning("a call was taken back, and its run could not be cancelled", cause)
      ),
      Effect.provideContext(services),
      Effect.asVoid
    )
  )
  let most = 0
  const news = followRun({ run, workspace, generation, user, tenant, key, after: -1, turns: 0 })
  yield* Stream.runForEach(news, (one) =>
    Effect.sync(() => {
      if (one._tag !== "Step") return
      const { event } = one.step
      if (event._tag === "ChatRequested") most = event.maxTurns
      if (event._tag !== "ModelTurned") return
      const tools = turnOf(event).says.flatMap((said) => (said._tag === "ToolCall" ? [said.name] : []))
      tell(`Turn ${event.turn} of ${most}${tools.length === 0 ? "" : ` calls ${tools.join(", ")}`}.`)
    })
  )
})

/** A chat whose turns are told to the client that waits for it. */
export const watchedChat = (payload: typeof ChatRequest.Type) => chat(payload, (asked) => watch(asked, payload.user_id))
