import { Effect, Result, Schema } from "effect"
import { BackupFault, BackupFolder } from "#ports/Backup.ts"
import {
  type BackedFile,
  formatVersion,
  Manifest,
  Mark,
  manifestName,
  manifests,
  markName,
  sha256Of,
  stored
} from "./manifest.ts"

import { isShaped } from "./shape.ts"

/** The packs of a repository, in the order in which they were made, and where `main` is. */
export interface BackedRepository {
  readonly workspace: string
  readonly commit: string
  readonly packs: ReadonlyArray<{ readonly pack: BackedFile; readonly index: BackedFile }>
}

/** The finished backups of a folder, each of which goes on from the one before it. */
export interface Chain {
  readonly mark: Mark
  readonly manifests: ReadonlyArray<Manifest>
  /** The digest of the last manifest's text. */
  readonly sha256: string
  readonly repositories: ReadonlyMap<string, BackedRepository>
}

const newer = (directory: string) =>
  new BackupFault({ message: `${directory} has backups of a newer format than this release knows: use a newer one.` })

/** A JSON file of ours. Fails if it is damaged, or of a newer format. */
const decode = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  name: string,
  directory: string,
  text: string
) =>
  Effect.gen(function* () {
    const json = Result.try((): unknown => JSON.parse(text))
    if (Result.isSuccess(json)) {
      if (Number((json.success as { version?: unknown } | null)?.version) > formatVersion)
        return yield* newer(directory)
      const decoded = Schema.decodeUnknownResult(schema)(json.success)
      if (Result.isSuccess(decoded)) return decoded.success
    }
    return yield* new BackupFault({ message: `${directory}/${name} is damaged: it is not what was written.` })
  })

/** The mark that says whose folder it is; `undefined`: there is none. */
export const markOf = Effect.gen(function* () {
  const folder = yield* BackupFolder
  const text = yield* folder.text(markName)
  if (text === undefined) return undefined
  return yield* decode(Mark, markName, folder.directory, text)
})

/** The repositories with one more backup's files. */
const grown = (before: Map<string, BackedRepository>, { files, erased }: Manifest): Map<string, BackedRepository> => {
  for (const repository of erased) before.delete(repository)
  for (const [at, pack] of files.entries()) {
    if (pack.holds !== "pack") continue
    const { packs = [] } = before.get(pack.repository!) ?? {}
    before.set(pack.repository!, {
      workspace: pack.workspace!,
      commit: pack.commit!,
      packs: [...packs, { pack, index: files[at + 1]! }]
    })
  }
  return before
}

/** The finished backups up to a number, or all of them. Fails if one is missing or damaged. */
export const chainOf = Effect.fnUntraced(function* (mark: Mark, upTo?: number) {
  const folder = yield* BackupFolder
  const names = (yield* folder.list(manifests)).filter((name) => /^backups\/\d{6,}\.json$/.test(name))
  const last = names.reduce((most, name) => Math.max(most, Number.parseInt(name.slice(`${manifests}/`.length), 10)), 0)
  const found: Array<Manifest> = []
  let sha256 = ""
  for (let number = 1; number <= Math.min(last, upTo ?? last); number++) {
    const name = manifestName(number)
    const text = yield* folder.text(name)
    if (text === undefined) return yield* new BackupFault({ message: `${folder.directory}/${name} is missing.` })
    const manifest = yield* decode(Manifest, name, folder.directory, text)
    if (manifest.number !== number || (manifest.previous?.sha256 ?? "") !== sha256) {
      return yield* new BackupFault({
        message: `${folder.directory}/${name} is not the backup that follows on the one before it.`
      })
    }
    if (manifest.installation !== mark.installation) {
      return yield* new BackupFault({ message: `${folder.directory}/${name} is another Cairn's.` })
    }
    if (!isShaped(manifest, found.at(-1))) {
      return yield* new BackupFault({ message: `${folder.directory}/${name} is damaged: it says what no backup has.` })
    }
    found.push(manifest)
    sha256 = sha256Of(text)
  }
  let repositories = new Map<string, BackedRepository>()
  for (const manifest of found) repositories = grown(repositories, manifest)
  return { mark, manifests: found, sha256, repositories } satisfies Chain as Chain
})

/**
 * Fails if a file of the backups is missing or has another length: a backup that goes on from it could not be restored.
 */
export const seeAll = Effect.fnUntraced(function* ({ manifests }: Chain) {
  const folder = yield* BackupFolder
  for (const file of manifests.flatMap(({ files }) => files)) {
    const wrong = yield* folder.glance(stored(file))
    if (wrong === undefined) continue
    return yield* new BackupFault({
      message: `${folder.directory}/${file.name} ${wrong}: what goes on from it can't be restored. Bring it back, or begin another folder.`
    })
  }
})

/** Compares all files of the backups with what was written, and gives those that differ, a line each. */
export const damagedIn = Effect.fnUntraced(function* (
  { manifests }: Chain,
  progress: (done: number, of: number) => void
) {
  const folder = yield* BackupFolder
  const files = manifests.flatMap((manifest) => manifest.files)
  const all = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const damaged: Array<string> = []
  let done = 0
  for (const file of files) {
    const wrong = yield* folder.check(stored(file))
    if (wrong !== undefined) damaged.push(`${file.name} ${wrong}`)
    done += file.bytes
    progress(done, all)
  }
  return { damaged, files: files.length, bytes: all }
})
