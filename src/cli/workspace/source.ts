import { existsSync, statSync } from "node:fs"
import { lstat, readdir, readFile, readlink } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Effect, Stream } from "effect"
import { Argument, Flag } from "effect/cli"
import { pathProblem } from "#domain/workspacePath.ts"
import { type ArchivedEntry, ArchiveRefused } from "#ports/Archives.ts"
import { Failed } from "../failure.ts"
import { plain } from "../output.ts"
import { Surroundings } from "../surroundings.ts"

/** The flags of `import`: what to put in, and where. */
export const importFlags = {
  names: Argument.String("workspace-and-source").pipe(
    Argument.withDescription(
      "The workspace's id, and a folder, a zip or a tar; with --org-id and --user-id only the latter: their workspace is created if there is none"
    ),
    Argument.between(1, 2)
  ),
  path: Flag.String("path").pipe(
    Flag.withDescription("The folder of the workspace to put them into (default: the root)"),
    Flag.withDefault("")
  ),
  replace: Flag.Boolean("replace").pipe(
    Flag.withDescription("Delete what else is in that folder"),
    Flag.withDefault(false)
  )
}

/** Fails if no workspace can have a folder of this path; `""` is the root. */
export const checkPath = (path: string) => {
  const problem = path === "" ? undefined : pathProblem(path)
  return problem === undefined ? Effect.void : Effect.fail(new Failed({ message: `The path can't be: ${problem}.` }))
}

/** The entries of a folder on the caller's disk, without `.git`. */
const entriesOf = async function* (folder: string, prefix: string): AsyncGenerator<ArchivedEntry, void, undefined> {
  for (const name of (await readdir(folder)).sort()) {
    if (name === ".git") continue
    const [place, path] = [join(folder, name), `${prefix}${name}`]
    const stat = await lstat(place)
    if (stat.isDirectory()) yield* entriesOf(place, `${path}/`)
    else if (stat.isSymbolicLink()) yield { path, kind: "symlink", bytes: Buffer.from(await readlink(place)) }
    else if (stat.isFile()) {
      yield { path, kind: (stat.mode & 0o100) === 0 ? "file" : "executable", bytes: await readFile(place) }
    } else throw new ArchiveRefused({ path, message: "It is a device or a pipe, which no workspace has." })
  }
}

const unread = (name: string) => (error: unknown) =>
  error instanceof ArchiveRefused
    ? error
    : new ArchiveRefused({ path: null, message: `${plain(name)} can't be read: ${(error as Error).message}` })

/** A folder's entries, as they are read, or an archive's bytes; `name` is relative to where the caller is. */
export const sourceOf = Effect.fnUntraced(function* (name: string) {
  const { env } = yield* Surroundings
  const place = resolve(env["INIT_CWD"] ?? ".", name)
  if (!existsSync(place)) return yield* new Failed({ message: `There is no ${plain(name)}.` })
  if (!statSync(place).isDirectory()) {
    const archive: Uint8Array = yield* Effect.tryPromise({ try: () => readFile(place), catch: unread(name) })
    return { archive }
  }
  return { entries: Stream.suspend(() => Stream.fromAsyncIterable(entriesOf(place, ""), unread(name))) }
})

/** What was wrong with an archive, in a line for the user. */
export const refusalOf = (error: ArchiveRefused): Failed =>
  new Failed({ message: plain(error.path === null ? error.message : `${error.path}: ${error.message}`) })
