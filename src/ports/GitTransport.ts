import { Context, type Effect, type Stream } from "effect"
import type { WorkspacesUnavailable } from "./WorkspaceStore.ts"

/** One file of a repository, as the dumb protocol fetches it. */
export interface ServedFile {
  readonly size: number
  readonly bytes: Stream.Stream<Uint8Array, unknown>
}

/** What clones and fetches read. Nothing here writes. Interrupting a stream ends what produces it. */
export class GitTransport extends Context.Service<
  GitTransport,
  {
    /** Git's smart protocol over HTTP; `undefined` without native git: clients then fetch file by file. */
    readonly smart:
      | undefined
      | {
          /**
           * The answer to `info/refs`. `version` is the client's `Git-Protocol` header. `tenant` is whom git works for:
           * no tenant may take all places.
           */
          readonly advertise: (
            tenant: string,
            repository: string,
            version: string | undefined
          ) => Stream.Stream<Uint8Array, unknown>
          /** `request` is whole, so that it takes a place only while git works and its reader takes the answer. */
          readonly uploadPack: (
            tenant: string,
            repository: string,
            version: string | undefined,
            request: Uint8Array
          ) => Stream.Stream<Uint8Array, unknown>
        }
    /** `HEAD`, `info/refs`, `objects/info/packs`, an object or a pack; `undefined` if there is none of that name. */
    readonly file: (repository: string, path: string) => Effect.Effect<ServedFile | undefined, WorkspacesUnavailable>
  }
>()("cairn/GitTransport") {}
