import { randomUUID } from "node:crypto"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { operator } from "#src/actor.ts"

/** Command metadata of the operator. Each call makes a new id, so the same command given again is a new one. */
export const metadata = (): CommandMetadata => {
  const commandId = randomUUID()
  return { commandId, correlationId: commandId, actor: operator }
}
