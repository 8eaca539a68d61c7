import { createHash } from "node:crypto"
import { Schema } from "effect"
import type { StoredFile } from "#ports/Backup.ts"

/** The version of the format that is written here. A newer one is refused, an older one is read. */
export const formatVersion = 1

/** The file that marks a folder as one of backups, and says whose. */
export const markName = "cairn-backup.json"
/** The shape of that file. */
export const Mark = Schema.Struct({
  format: Schema.Literal("cairn-backup"),
  version: Schema.Int,
  /** Tells an installation from others; no secret. */
  installation: Schema.String,
  engine: Schema.Literals(["postgres", "kurrentdb"])
})
/** The same, decoded. */
export type Mark = typeof Mark.Type

const File = Schema.Struct({
  name: Schema.String,
  bytes: Schema.Int,
  sha256: Schema.String,
  holds: Schema.Literals(["log", "beside", "erasures", "pack", "index"]),
  /** For packs and their indexes: which repository of which workspace they are of, and where `main` is with them. */
  repository: Schema.optionalKey(Schema.String),
  workspace: Schema.optionalKey(Schema.String),
  commit: Schema.optionalKey(Schema.String)
})
/** A file that a manifest names. */
export type BackedFile = typeof File.Type

/** One finished backup: what it added to those before it. */
export const Manifest = Schema.Struct({
  format: Schema.Literal("cairn-backup"),
  version: Schema.Int,
  number: Schema.Int,
  /** The backup that it goes on from, and the digest of that one's manifest; `null`: the first. */
  previous: Schema.NullOr(Schema.Struct({ number: Schema.Int, sha256: Schema.String })),
  installation: Schema.String,
  began: Schema.String,
  finished: Schema.String,
  log: Schema.Struct({
    /** Earlier backups have all up to this position. */
    after: Schema.Int,
    /** This backup and the earlier ones have all up to this position. */
    to: Schema.Int,
    /** The event at that position. */
    stream: Schema.String,
    revision: Schema.Int,
    event: Schema.String,
    /** How many events this one added. */
    events: Schema.Int
  }),
  files: Schema.Array(File),
  /** Repositories that were erased since the backup before: what earlier backups have of them is not restored. */
  erased: Schema.Array(Schema.String)
})
/** The same, decoded. */
export type Manifest = typeof Manifest.Type

/** The manifests' folder, and a manifest's name in it. */
export const manifests = "backups"
/** A number as names have it, padded so that names are in order. */
export const numbered = (number: number): string => String(number).padStart(6, "0")
/** Where the manifest of a backup is. */
export const manifestName = (number: number): string => `${manifests}/${numbered(number)}.json`

/** The id of an installation, made from its secret. */
export const installationOf = (secret: string): string =>
  createHash("sha256").update(`backup of ${secret}`).digest("hex").slice(0, 32)

/** The SHA-256 of a text's UTF-8, in hex. */
export const sha256Of = (text: string): string => createHash("sha256").update(text).digest("hex")

/** What a stored file is compared with. */
export const stored = ({ name, bytes, sha256 }: BackedFile): StoredFile => ({ name, bytes, sha256 })
