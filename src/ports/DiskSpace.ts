import { Context, type Effect } from "effect"

/** Space on a folder's file system, in bytes. */
export interface Space {
  /** What a user without privileges may still take. */
  readonly free: number
  readonly size: number
}

/** How much room there is. */
export class DiskSpace extends Context.Service<
  DiskSpace,
  {
    /** `undefined` if the folder can't be looked at, or its file system does not say. */
    readonly of: (folder: string) => Effect.Effect<Space | undefined>
  }
>()("cairn/DiskSpace") {}
