import { Schema } from "effect"

/** Who cast a vote, or through what it came, as callers say it: existing clients name themselves here. */
export const VoteSourceGiven = Schema.Literals(["ai", "human", "cli", "mcp", "sdk"])
export type VoteSourceGiven = typeof VoteSourceGiven.Type
