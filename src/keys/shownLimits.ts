import type { KeyLimits } from "#domain/Key.ts"

/** What bounds a key, as answers show it: times are ISO 8601. */
export const shownLimits = ({ actsFor, readOnly, expiresAt, workspaces, models }: KeyLimits) => ({
  acts_for: actsFor,
  read_only: readOnly,
  expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  workspaces,
  models
})
