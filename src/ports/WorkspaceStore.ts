import { Context, type Effect, Schema, type Stream } from "effect"

/** A git object name, 40 lower-case hexadecimal digits. */
export type Sha = string

/** A path inside a workspace: relative, `/`-separated, no empty, `.` or `..` part. `""` is the root. */
export type WorkspacePath = string

export type EntryKind = "file" | "executable" | "symlink" | "directory"

/** `path` is as it was asked for, even if it leads through a link. */
export interface DirectoryEntry {
  readonly path: WorkspacePath
  readonly kind: EntryKind
}

export interface Entry extends DirectoryEntry {
  /** Bytes; for a symlink the length of its target, for a directory 0. */
  readonly size: number
}

/**
 * An entry of a stored tree that came from outside and has a name that no workspace may have; see `Overlay.skipped`.
 */
export interface SkippedEntry {
  /** Bytes that are not UTF-8 are shown as U+FFFD. */
  readonly path: string
  readonly reason: string
}

/** A file of a stored tree. `mode` is git's (`100644`, `100755`, `120000`), `sha` its blob. */
export interface TreeFile {
  readonly path: WorkspacePath
  readonly mode: "100644" | "100755" | "120000"
  readonly size: number
  readonly sha: Sha
}

export type ChangeStatus = "created" | "modified" | "deleted"
export interface FileChange {
  readonly path: WorkspacePath
  readonly status: ChangeStatus
}
/** A change between stored trees. `sha` is the file's blob after the change or, if it was deleted, before it. */
export interface StoredChange extends FileChange {
  readonly sha: Sha
}

/** Why a path can't be used; `message` is fit for a model or a caller to read. */
export class PathRefused extends Schema.TaggedError<PathRefused>()("PathRefused", {
  path: Schema.String,
  message: Schema.String
}) {}

/** What a POSIX file system would answer: `ENOENT`, `EISDIR`, `ENOTDIR`, `EEXIST`, `ENOTEMPTY`, `EINVAL`, `ELOOP`. */
export class FileError extends Schema.TaggedError<FileError>()("FileError", {
  code: Schema.Literals(["ENOENT", "EISDIR", "ENOTDIR", "EEXIST", "ENOTEMPTY", "EINVAL", "ELOOP"]),
  path: Schema.String,
  message: Schema.String
}) {}

/** The write would take the workspace past its size (1 GiB) or its number of files (50,000). Nothing was changed. */
export class WorkspaceFull extends Schema.TaggedError<WorkspaceFull>()("WorkspaceFull", { message: Schema.String }) {}

export type OverlayError = PathRefused | FileError | WorkspaceFull

/** A defect: a repository lacks an object that it was asked for by name. */
export class MissingObject extends Error {
  override readonly name = "MissingObject"
}

/**
 * The disk failed: it is full, away, read-only or broken. Nothing was half done, and the same may work in a moment.
 * `code` is the system's (`ENOSPC`, `EIO`, `EACCES`, …; `ENOENT` for a missing folder). Any method may fail with it; an
 * overlay, whose errors are for a model to read, dies with it instead.
 */
export class WorkspacesUnavailable extends Schema.TaggedError<WorkspacesUnavailable>()("WorkspacesUnavailable", {
  code: Schema.String,
  message: Schema.String
}) {}

/**
 * A copy-on-write view over one commit's tree, in memory: what a run's tools and its sandbox work on. Blobs are read
 * when asked for; changes are exact. Symbolic links are followed inside the workspace only (`ELOOP` after 40,
 * `PathRefused` where one leads out). Like git, it knows no empty directories of a tree, but keeps the ones made here
 * until the run ends. Not safe for concurrent writers: a run's tools go one after another.
 */
export interface Overlay {
  /** What is at a path. Follows links. */
  readonly stat: (path: string) => Effect.Effect<Entry, OverlayError>
  /** A link itself, where `stat` gives what it leads to. */
  readonly lstat: (path: string) => Effect.Effect<Entry, OverlayError>
  /** All bytes of a file. Follows links. */
  readonly readFile: (path: string) => Effect.Effect<Uint8Array, OverlayError>
  /** The target as it was written; `EINVAL` if the path is not a link. */
  readonly readlink: (path: string) => Effect.Effect<string, OverlayError>
  /** Paths and kinds in byte order of names. A size costs a read of the object: ask `lstat`. */
  readonly readdir: (path: string) => Effect.Effect<ReadonlyArray<DirectoryEntry>, OverlayError>
  /**
   * Follows links; makes missing parents; keeps the executable bit of a file that exists unless `executable` is given.
   */
  readonly writeFile: (
    path: string,
    bytes: Uint8Array,
    options?: { readonly executable?: boolean }
  ) => Effect.Effect<void, OverlayError>
  /** `ENOENT` without its parent and `EEXIST` where something is, unless `recursive`. */
  readonly mkdir: (path: string, options?: { readonly recursive?: boolean }) => Effect.Effect<void, OverlayError>
  /** Never follows the last link. A directory that holds something needs `recursive`; `force`: missing is fine. */
  readonly remove: (
    path: string,
    options?: { readonly recursive?: boolean; readonly force?: boolean }
  ) => Effect.Effect<void, OverlayError>
  /** As POSIX: replaces a file or an empty directory; the new parent must exist. */
  readonly rename: (from: string, to: string) => Effect.Effect<void, OverlayError>
  /** Keeps any target of at most 4,095 bytes as it is. What is refused is to follow one that leads out. */
  readonly symlink: (target: string, path: string) => Effect.Effect<void, OverlayError>
  /** Follows links; on a directory it changes nothing, as git knows no modes of directories. */
  readonly chmod: (path: string, executable: boolean) => Effect.Effect<void, OverlayError>
  /** Every file and link, in byte order of paths; directories are not listed. */
  readonly paths: () => ReadonlyArray<WorkspacePath>
  /** Directories that hold nothing, made here or emptied here; kept until the run ends, never committed. */
  readonly emptyDirectories: () => ReadonlyArray<WorkspacePath>
  /**
   * What differs from the base tree, in byte order of paths. A file written with the bytes that it had is no change.
   */
  readonly changes: () => Effect.Effect<ReadonlyArray<FileChange>>
  /** What this view hides of the stored tree because of its name. It goes when its directory is next written. */
  readonly skipped: () => ReadonlyArray<SkippedEntry>
  /** A point to come back to: the returned effect undoes what a tool did before it passed a limit. */
  readonly savepoint: () => Effect.Effect<Effect.Effect<void>>
}

export interface CommitInfo {
  readonly tree: Sha
  readonly parents: ReadonlyArray<Sha>
  readonly author: { readonly name: string; readonly email: string }
  /** Milliseconds since the epoch, for author and committer. The committer is always `Cairn <cairn@localhost>`. */
  readonly time: number
  readonly message: string
}

export interface Commit extends CommitInfo {
  readonly sha: Sha
}

type Asked<A> = Effect.Effect<A, WorkspacesUnavailable>

/**
 * The bytes of workspaces, as git objects in one bare repository each. The log decides what a workspace's head is;
 * this port stores objects durably (fsync before it answers) and lets the ref follow. Same input, same SHA.
 */
export class WorkspaceStore extends Context.Service<
  WorkspaceStore,
  {
    /**
     * A view over a stored tree; `undefined` is the empty tree. Makes the repository when there is none. Of more than
     * `pending` bytes of new content (default: 32 MiB), a part is stored before `save`, and stays if that never comes.
     */
    readonly open: (workspace: string, tree: Sha | undefined, pending?: number) => Asked<Overlay>
    /**
     * Writes the overlay's changed blobs and the trees on their paths; answers the root tree's name. The overlay stays
     * usable.
     */
    readonly save: (workspace: string, overlay: Overlay) => Asked<Sha>
    /** Stores a commit of a stored tree; answers the commit's name. Moves no ref. */
    readonly commit: (workspace: string, info: CommitInfo) => Asked<Sha>
    /** Sets `refs/heads/main` to a stored commit, durably. The same again changes nothing. */
    readonly moveRef: (workspace: string, commit: Sha) => Asked<void>
    /** The commit that `refs/heads/main` names; `undefined`: none, or there is no repository. */
    readonly ref: (workspace: string) => Asked<Sha | undefined>
    /** `undefined`: there is no such commit, or no such repository. */
    readonly readCommit: (workspace: string, commit: Sha) => Asked<Commit | undefined>
    /** Every file and link, in byte order of paths. */
    readonly files: (workspace: string, tree: Sha) => Asked<ReadonlyArray<TreeFile>>
    /** `files` in batches of at most some 64 KiB of paths, read as they are asked for. */
    readonly eachFile: (workspace: string, tree: Sha) => Stream.Stream<ReadonlyArray<TreeFile>, WorkspacesUnavailable>
    /** `eachFile` with paths alone: a size costs a look at each file. */
    readonly eachPath: (
      workspace: string,
      tree: Sha
    ) => Stream.Stream<ReadonlyArray<WorkspacePath>, WorkspacesUnavailable>
    /**
     * The bytes of a file at a tree; links are not followed (their target is their content). `undefined`: no such file.
     */
    readonly readFile: (
      workspace: string,
      tree: Sha,
      path: string
    ) => Asked<{ readonly file: TreeFile; readonly bytes: Uint8Array } | undefined>
    /**
     * `readFile` piece by piece, each of some 64 KiB and read when it is asked for. `size` is in bytes; `atOnce` of
     * them are in memory besides the piece in hand; `sha` is the file's blob.
     */
    readonly filePieces: (
      workspace: string,
      tree: Sha,
      path: string
    ) => Asked<
      | {
          readonly sha: Sha
          readonly size: number
          readonly atOnce: number
          readonly pieces: Stream.Stream<Uint8Array, WorkspacesUnavailable>
        }
      | undefined
    >
    /**
     * What a tree has at a path, without a look at the content: two of these are the same if the file is. `undefined`:
     * no file.
     */
    readonly fileAt: (workspace: string, tree: Sha, path: string) => Asked<Pick<TreeFile, "mode" | "sha"> | undefined>
    /** Path by path, in byte order; `undefined` is the empty tree. Subtrees with the same name are not read. */
    readonly compare: (
      workspace: string,
      from: Sha | undefined,
      to: Sha
    ) => Asked<
      ReadonlyArray<FileChange & { readonly before: TreeFile | undefined; readonly after: TreeFile | undefined }>
    >
    /** `compare` without further details of the files, in batches like those of `eachFile`. */
    readonly eachChange: (
      workspace: string,
      from: Sha | undefined,
      to: Sha
    ) => Stream.Stream<ReadonlyArray<StoredChange>, WorkspacesUnavailable>
    /**
     * Unified diff as `git diff` prints it (a/ b/, new file mode, `Binary files … differ`), at most `maxBytes` long.
     */
    readonly diff: (
      workspace: string,
      from: Sha | undefined,
      to: Sha,
      options?: { readonly maxBytes?: number }
    ) => Asked<string>
    /**
     * Puts what changed from `base` to `tree` path by path on `onto` (the run's side wins); answers the new root tree.
     */
    readonly rebase: (workspace: string, base: Sha | undefined, tree: Sha, onto: Sha) => Asked<Sha>
    /**
     * Packs the objects that have gathered, if native git is there; loses nothing. `prune` also removes what the ref
     * does not reach and nobody has written for a day: only for a workspace whose runs have all ended.
     */
    readonly pack: (workspace: string, options: { readonly prune: boolean }) => Asked<void>
    /** Removes the repository. The same again changes nothing. */
    readonly erase: (workspace: string) => Asked<void>
  }
>()("cairn/WorkspaceStore") {}
