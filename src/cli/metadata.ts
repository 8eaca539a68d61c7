import { randomUUID } from "node:crypto"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { operator } from "#src/actor.ts"

/**
 * Of a command that the operator gives. Each call makes another one, so that the same command given again is a new one.
 */
export const metadata = (): CommandMetadata => {
  const commandId = randomUUID()
  return { commandId, correlationId: commandId, actor: operator }
}
