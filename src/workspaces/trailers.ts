import type { Actor } from "#engine/Event.ts"

/**
 * The lines at the end of a commit's message that say who acted: the key's id and its person's id; none for the
 * operator.
 */
export const actorTrailers = ({ key, user }: Actor): string =>
  (key === null ? "" : `Cairn-Key: ${key}\n`) + (user === null ? "" : `Cairn-User: ${user}\n`)
