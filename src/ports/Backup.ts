import { Context, type Effect, Schema, type Scope, type Stream } from "effect"
import type { Sha, WorkspacesUnavailable } from "./WorkspaceStore.ts"

/** A backup can't be made, read or restored; `message` is one line that says why and what to do, without a secret. */
export class BackupFault extends Schema.TaggedError<BackupFault>()("BackupFault", { message: Schema.String }) {}

/** A file of a backup as it is stored, compressed and encrypted as its endings say (`.gz`, then `.age`). */
export interface StoredFile {
  /** Its path in the folder, with `/`. */
  readonly name: string
  readonly bytes: number
  /** Of the stored bytes, in hex. */
  readonly sha256: string
}

/** A file that is being written. Nobody sees it before it is whole and on the disk. */
export interface NewFile {
  /** Takes plain bytes, before they are compressed or encrypted. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, BackupFault>
  /** Puts it in its place, whole and on the disk. */
  readonly finish: Effect.Effect<StoredFile, BackupFault>
}

/** Where a backup is written to. Files that were not finished are gone when the scope closes. */
export class BackupTarget extends Context.Service<
  BackupTarget,
  {
    /** Whether what is written is encrypted. */
    readonly encrypted: boolean
    /** Bytes of one file of the log before compression: with several files, damage to one spares the rest. */
    readonly partBytes: number
    /** Begins a file; `name` has none of the endings that tell how it is stored. */
    readonly begin: (
      name: string,
      options: { readonly compressed: boolean }
    ) => Effect.Effect<NewFile, BackupFault, Scope.Scope>
    /** Puts a short file that is neither compressed nor encrypted. It replaces an existing one. */
    readonly put: (name: string, text: string) => Effect.Effect<void, BackupFault>
  }
>()("cairn/BackupTarget") {}

/** A folder of backups as it is read. */
export class BackupFolder extends Context.Service<
  BackupFolder,
  {
    /** Where it is, for messages. */
    readonly directory: string
    /** Names of all files below a folder or, for `""`, of those directly in the backup's folder; in order. */
    readonly list: (folder: string) => Effect.Effect<ReadonlyArray<string>, BackupFault>
    /** A short file's text; `undefined` if there is no such file. */
    readonly text: (name: string) => Effect.Effect<string | undefined, BackupFault>
    /** What is wrong with a file, in words that follow its name; `undefined`: it is as it was written. */
    readonly check: (file: StoredFile) => Effect.Effect<string | undefined, BackupFault>
    /** `check` without reading the file: only whether it is there and has the length that it had. */
    readonly glance: (file: StoredFile) => Effect.Effect<string | undefined, BackupFault>
    /** A file's plain bytes, decrypted and decompressed. The iterator throws `BackupFault`. */
    readonly read: (name: string) => AsyncIterable<Uint8Array>
    /** Removes a file, if it is there. */
    readonly remove: (name: string) => Effect.Effect<void, BackupFault>
  }
>()("cairn/BackupFolder") {}

/** No archive was begun: another one is under way, or a recipient is not valid. `message` says which. */
export class ArchiveNotBegun extends Schema.TaggedError<ArchiveNotBegun>()("ArchiveNotBegun", {
  reason: Schema.Literals(["running", "recipient"]),
  message: Schema.String
}) {}

/** A backup as one archive, for somebody elsewhere. */
export class BackupArchives extends Context.Service<
  BackupArchives,
  {
    /**
     * A tar of what `make` writes to its target, in the order in which the files are finished. Nothing is made ahead of
     * the reader: one file at a time waits on the disk. One archive is under way at a time, until the scope closes.
     */
    readonly begin: (
      recipients: ReadonlyArray<string>,
      make: (target: BackupTarget["Service"]) => Effect.Effect<void, BackupFault>
    ) => Effect.Effect<Stream.Stream<Uint8Array, BackupFault>, ArchiveNotBegun | BackupFault, Scope.Scope>
  }
>()("cairn/BackupArchives") {}

/** The repository is not there (any more). */
export class RepositoryGone extends Schema.TaggedError<RepositoryGone>()("RepositoryGone", {
  repository: Schema.String
}) {}

/** The repository lacks an object that a commit needs, or has it damaged. */
export class RepositoryDamaged extends Schema.TaggedError<RepositoryDamaged>()("RepositoryDamaged", {
  repository: Schema.String,
  object: Schema.String
}) {}

/** Objects as git packs them (version 2, without deltas). */
export interface Pack {
  readonly objects: number
  /** Each object is compared with its name as it passes. */
  readonly pieces: Stream.Stream<Uint8Array, WorkspacesUnavailable | RepositoryGone | RepositoryDamaged>
  /** The pack's index (version 2), once all of its pieces were taken. */
  readonly index: () => Uint8Array
}

/** A pack and its index as they are read. */
export interface ReadPack {
  /** Their iterators throw `BackupFault`. */
  readonly pack: AsyncIterable<Uint8Array>
  readonly index: AsyncIterable<Uint8Array>
}

/** Takes the repositories of workspaces into a backup, and puts them back. */
export class RepositoryCopy extends Context.Service<
  RepositoryCopy,
  {
    /** What a commit and its ancestors need, without what `since` and its ancestors have. */
    readonly pack: (
      repository: string,
      since: Sha | undefined,
      commit: Sha
    ) => Effect.Effect<Pack, WorkspacesUnavailable | RepositoryGone | RepositoryDamaged>
    /** Makes a repository from packs, with `main` at a commit. It replaces an existing one. */
    readonly make: (
      repository: string,
      packs: Iterable<ReadPack>,
      commit: Sha
    ) => Effect.Effect<void, WorkspacesUnavailable | BackupFault>
    /** Names of what is in the folder of repositories. */
    readonly names: Effect.Effect<ReadonlyArray<string>, WorkspacesUnavailable>
  }
>()("cairn/RepositoryCopy") {}

/** Rows of a database that are in no event, each as a line of JSON: `{"table", "row"}`. */
export class BesideRows extends Context.Service<
  BesideRows,
  {
    /** Pages of lines: first how far reactions had come, then the rows of each table. */
    readonly pages: Stream.Stream<ReadonlyArray<string>, BackupFault>
  }
>()("cairn/BesideRows") {}
