import { Schema } from "effect"

/** What an organization may use. */
export const Tier = Schema.Literals(["FREE", "PRO", "ENTERPRISE"])
export type Tier = typeof Tier.Type

/** How many members an organization may have, the owner included, unless it was registered with another number. */
export const memberLimit = (tier: Tier): number => ({ FREE: 1, PRO: 10, ENTERPRISE: 100 })[tier]
