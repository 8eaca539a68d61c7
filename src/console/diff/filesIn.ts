import { bearable } from "../visible.ts"
import { type FileDiff, parseDiff } from "./parse.ts"
import { withRenames } from "./renamed.ts"

/** The files of a diff that the service gave, as they can be shown: renamed files are recognised. */
export const filesIn = (diff: string): ReadonlyArray<FileDiff> => withRenames(parseDiff(bearable(diff)))
