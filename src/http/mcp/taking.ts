import { Effect, Queue, type Scope } from "effect"
import type { Progress } from "#src/mcp/Progress.ts"
import { type Cancellation, callsIn, type Message } from "./messages.ts"

/** A call under way, and what is to be done when its client takes it back. */
interface Call {
  taken: boolean
  effect: Effect.Effect<void> | undefined
}

const nameOf = (session: string, id: unknown): string => `${session} ${JSON.stringify(id)}`

/** The calls of this process's sessions that clients may take back. What follows from that is done in `scope`. */
export const makeTaking = (scope: Scope.Scope) => {
  const calls = new Map<string, Call>()
  const doing = (effect: Effect.Effect<void>) => Effect.runFork(Effect.forkIn(effect, scope))

  return {
    /** A client takes a request of its session back. */
    take: (session: string, { requestId, gaveUp }: Cancellation) => {
      const call = calls.get(nameOf(session, requestId))
      // a client whose time was over calls again, and finds the call still under way
      if (call === undefined || call.taken || gaveUp) return
      call.taken = true
      if (call.effect !== undefined) doing(call.effect)
    },

    /**
     * Follows the call among these messages until the scope closes, and gives what it tells of its progress. Of several
     * calls, nobody could say whose progress it is: none is followed.
     */
    following: Effect.fnUntraced(function* (session: string | undefined, messages: ReadonlyArray<Message>) {
      const told = yield* Queue.sliding<string>(16)
      const [only, ...others] = callsIn(messages)
      const call: Call = { taken: false, effect: undefined }
      if (session !== undefined && only !== undefined && others.length === 0) {
        const name = nameOf(session, only.id)
        calls.set(name, call)
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            if (calls.get(name) === call) calls.delete(name)
          })
        )
      }
      const progress: Progress["Service"] = {
        tell: (sentence) => {
          if (others.length === 0) Queue.offerUnsafe(told, sentence)
        },
        whenTaken: (effect) => {
          call.effect = effect
          if (call.taken) doing(effect)
        }
      }
      return { told, progress }
    })
  }
}
