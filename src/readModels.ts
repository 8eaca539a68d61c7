import { Activity } from "#projections/Activity.ts"
import { Bundles } from "#projections/Bundles.ts"
import { ChatRuns } from "#projections/ChatRuns.ts"
import { Consumption } from "#projections/Consumption/tables.ts"
import { Erasures } from "#projections/Erasures.ts"
import { Executions } from "#projections/Executions.ts"
import { Functions } from "#projections/Functions/tables.ts"
import { Gradings } from "#projections/Gradings.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { KeyUsage } from "#projections/KeyUsage.ts"
import { Learned } from "#projections/Learned.ts"
import { Logs } from "#projections/Logs.ts"
import { Patterns } from "#projections/Patterns.ts"
import { Retrievals } from "#projections/Retrievals.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Workspaces } from "#projections/Workspaces/tables.ts"

/** Every read model. */
export const projections = [
  Keys,
  KeyUsage,
  Erasures,
  Snippets,
  Logs,
  Workspaces,
  ChatRuns,
  Bundles,
  Gradings,
  Executions,
  Patterns,
  Functions,
  Retrievals,
  Learned,
  Consumption,
  Activity
] as const
