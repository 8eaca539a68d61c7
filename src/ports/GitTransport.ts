import { Context, type Effect, type Stream } from "effect"
import type { WorkspacesUnavailable } from "./WorkspaceStore.ts"

/** One file of a repository, as the dumb protocol fetches it. */
export interface ServedFile {
  readonly size: number
  readonly bytes: Stream.Stream<Uint8Array, unknown>
}

/** What clones and fetches read. Nothing here writes. A stream that is interrupted ends what produced it. */
export class GitTransport extends Context.Service<
  GitTransport,
  {
    /** Git's smart protocol over HTTP; `undefined` where there is no native git: then clients fetch file by file. */
    readonly smart:
      | undefined
      | {
          /**
           * What `info/refs` is answered with. `version` is the client's `Git-Protocol` header. `tenant` is for whom:
           * none has all places.
           */
          readonly advertise: (
            tenant: string,
            repository: string,
            version: string | undefined
          ) => Stream.Stream<Uint8Array, unknown>
          /**
           * `request` is whole: a place is taken for no longer than git is at work, and its reader takes what it says.
           */
          readonly uploadPack: (
            tenant: string,
            repository: string,
            version: string | undefined,
            request: Uint8Array
          ) => Stream.Stream<Uint8Array, unknown>
        }
    /** `HEAD`, `info/refs`, `objects/info/packs`, an object or a pack; `undefined`: there is none of that name. */
    readonly file: (repository: string, path: string) => Effect.Effect<ServedFile | undefined, WorkspacesUnavailable>
  }
>()("cairn/GitTransport") {}
