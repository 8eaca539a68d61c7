import { Effect, Layer, Scope } from "effect"
import * as Workers from "#infra/workers/layer.ts"

/**
 * The processes that do jobs on texts are shared by all services and commands that run in this process, and go with it:
 * those of one service or command would load the grammars anew, which takes more of the processor than most files'
 * texts.
 */
const shared = Layer.makeMemoMapUnsafe()
const workers = Effect.runPromise(Layer.buildWithMemoMap(Workers.layer, shared, Scope.makeUnsafe()))

/** Where layers of a service or a command are to be built: they find the workers there, and share nothing else. */
export const besideWorkers = async (): Promise<Layer.MemoMap> => {
  await workers
  return Layer.forkMemoMapUnsafe(shared)
}
