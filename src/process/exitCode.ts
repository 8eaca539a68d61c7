import { Cause, Option } from "effect"
import { LaunchFailed } from "#infra/postgres/launcher/LaunchFailed.ts"
import { SandboxUnusable } from "#infra/sandbox/bubblewrap/SandboxUnusable.ts"
import { EmbeddingTableUnusable } from "#infra/search/embeddings/EmbeddingTableUnusable.ts"
import { EngineUnusable } from "#ports/EngineUnusable.ts"
import { NotOurs } from "#ports/Hold.ts"
import { WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { BadConfig } from "#src/config/BadConfig.ts"
import { ForeignOwnerKey } from "#src/keys/ForeignOwnerKey.ts"
import { KeysBehind } from "#src/keys/KeysBehind.ts"
import { TooMuchMemory } from "./memory.ts"

/** Exit codes that `start.cjs` knows: starting again helps, or helps only after the operator has mended something. */
export const startAgain = 75
const operators = 78
const crashed = 1

const passing = [TooMuchMemory, WorkspacesUnavailable, KeysBehind]
const ofOperators = [BadConfig, NotOurs, ForeignOwnerKey, LaunchFailed, EmbeddingTableUnusable]

/** The exit code of a service that failed with this cause; 0 if it was told to stop. */
export const exitCodeOf = (cause: Cause.Cause<unknown>): number => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (error === undefined) return Cause.hasInterruptsOnly(cause) ? 0 : crashed
  if (passing.some((kind) => error instanceof kind)) return startAgain
  if (error instanceof EngineUnusable || error instanceof SandboxUnusable) return error.passes ? startAgain : operators
  const isMended = ofOperators.some((kind) => error instanceof kind)
  return isMended && (error as Partial<LaunchFailed>).reason !== "failed" ? operators : crashed
}
