import { bearable } from "../visible.ts"
import { type FileDiff, parseDiff } from "./parse.ts"
import { withRenames } from "./renamed.ts"

/** What a difference that the service told says of each file, as it can be shown: renamed ones as that. */
export const filesIn = (diff: string): ReadonlyArray<FileDiff> => withRenames(parseDiff(bearable(diff)))
