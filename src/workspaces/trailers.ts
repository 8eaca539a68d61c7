import type { Actor } from "#engine/Event.ts"

/**
 * Lines for the end of a commit's message that say who acted: the key and its person by their ids; none of the
 * operator.
 */
export const actorTrailers = ({ key, user }: Actor): string =>
  (key === null ? "" : `Cairn-Key: ${key}\n`) + (user === null ? "" : `Cairn-User: ${user}\n`)
