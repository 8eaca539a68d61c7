import { Context } from "effect"
import type { Look } from "#engine/ask.ts"

/**
 * A look at the log and the read models that began when the whole request had come: a route that reads before all else
 * needs no other. `undefined`: there is none, because the body came later.
 */
export const Arrived = Context.Reference<Look | undefined>("cairn/Arrived", { defaultValue: () => undefined })
