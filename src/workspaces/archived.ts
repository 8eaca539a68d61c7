import { posix } from "node:path"
import { Effect, Stream } from "effect"
import { withoutEnd } from "#domain/text/withoutEnd.ts"
import { pathProblem } from "#domain/workspacePath.ts"
import { type ArchivedEntry, ArchiveRefused } from "#ports/Archives.ts"

/** What an archive may unpack to: much less than a workspace may hold, as it is in memory until it is stored. */
export const archiveBounds = { bytes: 128 * 1024 * 1024, entries: 10_000 }

/** Characters of an archive's path that are told. */
const mostTold = 300

/** A path of an archive, as a workspace has it; `""`: the archive's root. */
const normal = (path: string): string => withoutEnd(path.replace(/^(?:\.\/+)+/, "").replace(/^\.$/, ""), "/")

/** Whether a link leads out of the workspace, or may: in `name/..`, the name may be a link that leads elsewhere. */
const leadsOut = (path: string, target: string): boolean => {
  const led = posix.normalize(posix.join(posix.dirname(path), target))
  const names = target.split("/").filter((name) => name !== "" && name !== ".")
  const goesBack = names.some((name, at) => name === ".." && at > 0 && names[at - 1] !== "..")
  return target.startsWith("/") || led === ".." || led.startsWith("../") || goesBack
}

/** That an entry can't be put into a workspace. */
export const refused = (path: string, problem: string) =>
  new ArchiveRefused({ path: path.slice(0, mostTold).toWellFormed(), message: problem })

/**
 * The path that an entry gets in a workspace, below a folder; `undefined`: it is the folder itself. Fails if no
 * workspace could have it, whatever is there.
 */
export const placeOf = ({ path: given, kind, bytes }: ArchivedEntry, folder: string) => {
  const inside = normal(given)
  if (inside === "") return Effect.undefined
  const path = folder === "" ? inside : `${folder}/${inside}`
  const problem = pathProblem(path)
  if (problem !== undefined) return Effect.fail(refused(given, `Its path can't be: ${problem}.`))
  if (kind === "symlink" && leadsOut(path, Buffer.from(bytes).toString())) {
    return Effect.fail(refused(given, "It is a link that leads out of the workspace."))
  }
  return Effect.succeed(path)
}

/** Reads entries to their end, and fails if one can't be read, or no workspace could have it. */
export const lookThrough = (entries: Stream.Stream<ArchivedEntry, ArchiveRefused>, folder: string) =>
  Stream.runForEach(entries, (entry) => placeOf(entry, folder))
