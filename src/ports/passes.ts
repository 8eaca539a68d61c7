import { Predicate } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/**
 * Whether the same statement may succeed in a moment: the connection was lost, or the server restarts, has no room for
 * us or had heard nothing of us for too long (25P03). The driver knows only some of these; the SQLSTATE tells the
 * others.
 */
export const passes = (error: SqlError): boolean => {
  const { cause } = error.reason
  const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : ""
  return error.isRetryable || /^(08|53|57P|25P03)/.test(code)
}
