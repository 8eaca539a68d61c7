import type { Writable } from "node:stream"
import { Context } from "effect"

/** What a verb meets: the environment that says where the data is, and where its words go. */
export interface Around {
  readonly env: { readonly [name: string]: string | undefined }
  readonly stdout: Pick<Writable, "write">
  readonly stderr: Pick<Writable, "write">
  /** What comes in; that of this process where it is left out. */
  readonly stdin?: AsyncIterable<Uint8Array>
}

/** Those of this process, unless a verb runs in one that is not its own. */
export const Surroundings: Context.Reference<Around> = Context.Reference<Around>("cairn/cli/Surroundings", {
  defaultValue: () => process
})
