import { randomBytes } from "node:crypto"
import fs from "node:fs"
import { pipeline } from "node:stream/promises"
import { Effect, Layer, Stream } from "effect"
import {
  BackupFault,
  type Pack,
  type ReadPack,
  RepositoryCopy,
  RepositoryDamaged,
  RepositoryGone
} from "#ports/Backup.ts"
import { makeFolder } from "#ports/makeFolder.ts"
import type { Sha, WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { publish, replace, syncDirectory } from "../../durableFs.ts"
import { faultOf, onDisk } from "../fault.ts"
import { makeRepository, repositoryPath } from "../repositories.ts"
import { neededBy, Unreadable } from "./needed.ts"
import { indexOf, type Placed, packOf } from "./packOf.ts"

type Trouble = WorkspacesUnavailable | RepositoryGone | RepositoryDamaged

/** Why a repository could not be read. That it was erased meanwhile is checked first. */
const troubleOf = (gitdir: string, repository: string, error: unknown): Trouble => {
  if (!fs.existsSync(gitdir)) return new RepositoryGone({ repository })
  if (error instanceof Unreadable) return new RepositoryDamaged({ repository, object: error.sha })
  return faultOf(error, gitdir) ?? new RepositoryDamaged({ repository, object: "of some name" })
}

const pack = async (gitdir: string, since: Sha | undefined, commit: Sha, repository: string): Promise<Pack> => {
  const needed = await neededBy(gitdir, since, commit)
  const placed: Array<Placed> = []
  let digest: Uint8Array | undefined
  const pieces = async function* () {
    digest = yield* packOf(gitdir, needed, placed)
  }
  return {
    objects: needed.length,
    pieces: Stream.fromAsyncIterable({ [Symbol.asyncIterator]: pieces }, (error) =>
      troubleOf(gitdir, repository, error)
    ),
    index: () => indexOf(placed, digest!)
  }
}

const put = async (path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> =>
  pipeline(pieces, fs.createWriteStream(path, { flags: "wx", mode: 0o444, flush: true }))

/** Makes a repository beside its place, and moves it there once it is whole and on the disk. */
const make = async (directory: string, repository: string, packs: Iterable<ReadPack>, commit: Sha): Promise<void> => {
  const gitdir = repositoryPath(directory, repository)
  makeFolder(directory)
  const unfinished = `${directory}/.making-${randomBytes(8).toString("hex")}`
  await makeRepository(directory, unfinished)
  const folder = `${unfinished}/objects/pack`
  for (const { pack, index } of packs) {
    const name = `${folder}/pack-${randomBytes(20).toString("hex")}`
    await put(`${name}.pack`, pack)
    await put(`${name}.idx`, index)
  }
  await syncDirectory(folder)
  await replace(unfinished, `${unfinished}/refs/heads`, "main", Buffer.from(`${commit}\n`))
  await fs.promises.rm(gitdir, { recursive: true, force: true })
  publish(unfinished, gitdir)
  await syncDirectory(directory)
}

/** Copies of bare repositories in a folder of the local disk. */
export const layer = ({ directory }: { readonly directory: string }) =>
  Layer.succeed(RepositoryCopy, {
    pack: (repository, since, commit) => {
      const gitdir = repositoryPath(directory, repository)
      return Effect.tryPromise({
        try: () => pack(gitdir, since, commit, repository),
        catch: (error) => troubleOf(gitdir, repository, error)
      })
    },
    make: (repository, packs, commit) =>
      onDisk(directory, () => make(directory, repository, packs, commit)).pipe(
        Effect.catchDefect((error) => (error instanceof BackupFault ? Effect.fail(error) : Effect.die(error)))
      ),
    names: onDisk(directory, () => (fs.existsSync(directory) ? fs.readdirSync(directory) : []))
  })
