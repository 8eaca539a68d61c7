import type { Writable } from "node:stream"
import { Context } from "effect"

/** What surrounds a verb: the environment, which says where the data is, and where its output goes. */
export interface Around {
  readonly env: { readonly [name: string]: string | undefined }
  readonly stdout: Pick<Writable, "write">
  readonly stderr: Pick<Writable, "write">
  /** Standard input; if left out, this process's. */
  readonly stdin?: AsyncIterable<Uint8Array>
}

/** Whether a service is named, so that no data folder is looked at. */
export const namesService = ({ env }: Around): boolean => (env["CAIRN_URL"] ?? "").trim() !== ""

/** The surroundings of a verb: this process's, unless it runs inside another program. */
export const Surroundings: Context.Reference<Around> = Context.Reference<Around>("cairn/cli/Surroundings", {
  defaultValue: () => process
})
