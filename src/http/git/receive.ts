import { Effect, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import type { WorkspaceRecord } from "#projections/Workspaces/standing.ts"
import { actorOf } from "#src/actor.ts"
import { Caller } from "#src/api/middleware.ts"
import { Problem } from "#src/api/Problem.ts"
import { push } from "#src/workspaces/push.ts"
import { unlessErased } from "#src/workspaces/restore.ts"
import { noWorkspace } from "../Workspaces/own.ts"
import { plainOf, unreadable } from "./asked.ts"
import { MalformedPush, type RefUpdate, readPush, report } from "./pushed.ts"

const malformed = new Problem({
  code: "validation/invalid_body",
  message: "The body is no push as git makes them. Push with git, over HTTP, to main alone."
})

/** How long the lines before a pack may take to come; they are a few. */
const untilPack = "1 minute"
/**
 * How long the rest of a refused push is read. Git shows the answer only when it has sent everything; if the connection
 * ends before, it does not even show why.
 */
const untilRead = "10 minutes"

const tooSlow = new Problem({
  code: "body/too_slow",
  message: "The request came too slowly. Push again, over a faster connection."
})

/** The problem with a push that can't be read: its lines, or its compression, are wrong. */
const unreadOf = (error: unknown) => (error instanceof MalformedPush ? malformed : unreadable)

const main = "refs/heads/main"
const none = "0".repeat(40)

/** Why a ref can't be moved, whatever comes with it. */
const refusalOf = ({ ref, to }: RefUpdate): string | undefined => {
  if (ref !== main) return `only ${main} can be pushed to`
  return to === none ? "main can't be deleted" : undefined
}

/** Takes a client's push; gives git's report on it. */
export const received = Effect.fnUntraced(function* (workspace: WorkspaceRecord) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const caller = yield* Caller
  const body = yield* Stream.toAsyncIterableEffect(plainOf(request))
  const asked = yield* Effect.tryPromise({ try: () => readPush(body), catch: unreadOf }).pipe(
    Effect.timeoutOrElse({ duration: untilPack, orElse: () => Effect.fail(tooSlow) })
  )
  const { updates, pack } = asked
  const drained = Effect.timeoutOption(Effect.ignore(Effect.tryPromise(asked.drain)), untilRead)
  // git first asks with an empty push whether it may
  if (updates.length === 0) return new Uint8Array()
  const refusals = updates.map(refusalOf)
  const only = updates.length === 1 && refusals[0] === undefined ? updates[0] : undefined
  if (only === undefined) {
    yield* drained
    return report(asked, (update) => refusalOf(update) ?? "push main alone")
  }
  const pushed = { from: only.from, to: only.to, pack }
  const taking = push(workspace, pushed, caller.tenant, actorOf(caller))
  const refused = yield* unlessErased(workspace, taking, noWorkspace).pipe(
    Effect.as(undefined),
    Effect.catchTag("PushRefused", ({ reason }) => Effect.as(drained, reason))
  )
  return report(asked, () => refused)
})
