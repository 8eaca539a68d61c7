import { Effect, Queue, type Scope } from "effect"
import type { Progress } from "#src/mcp/Progress.ts"
import { type Cancellation, callsIn, type Message } from "./messages.ts"

/** A call under way, and what is to be done when it is taken back. */
interface Call {
  taken: boolean
  effect: Effect.Effect<void> | undefined
}

const nameOf = (session: string, id: unknown): string => `${session} ${JSON.stringify(id)}`

/** The calls of this process's sessions that may be taken back. What follows from that is done in `scope`. */
export const makeTaking = (scope: Scope.Scope) => {
  const calls = new Map<string, Call>()
  const doing = (effect: Effect.Effect<void>) => Effect.runFork(Effect.forkIn(effect, scope))

  return {
    /** A client takes a request of its session back. */
    take: (session: string, { requestId, gaveUp }: Cancellation) => {
      const call = calls.get(nameOf(session, requestId))
      // who has waited for long enough calls again, and finds what was under way
      if (call === undefined || call.taken || gaveUp) return
      call.taken = true
      if (call.effect !== undefined) doing(call.effect)
    },

    /**
     * Follows the calls among these messages until the scope closes, and gives what is told of the one call that there
     * is: of several nobody could say whose it is.
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
