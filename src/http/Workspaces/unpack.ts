import { Effect } from "effect"
import { pathProblem } from "#domain/workspacePath.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { archiveBounds } from "#src/workspaces/archived.ts"
import { unpack } from "#src/workspaces/unpack.ts"
import { Rooms } from "../middleware/body.ts"
import { orProblem } from "../refusals.ts"
import { changed } from "./files.ts"
import { own } from "./own.ts"

/** Unpacks an archive into the caller's own workspace. */
export const unpackArchive = (
  id: string,
  archive: Uint8Array,
  { path = "", replace = "false" }: { readonly path?: string | undefined; readonly replace?: string | undefined }
) =>
  Effect.gen(function* () {
    const { key } = yield* Caller
    const { unpacking } = yield* Rooms
    const workspace = yield* own(id)
    const problem = path === "" ? undefined : pathProblem(path)
    if (problem !== undefined) {
      return yield* fieldProblem("validation/invalid_path", "path", `The path can't be: ${problem}.`)
    }
    const subject = path === "" ? "Unpack an archive" : `Unpack an archive into ${path}`
    const edit = yield* unpack(archive, path, replace === "true")
    const unpacked = changed(workspace, { how: "archive", subject, edit, most: archiveBounds.bytes })
    const { commit, created, modified, deleted } = yield* unpacking.within(key, archiveBounds.bytes, unpacked)
    return { success: true, commit, created, modified, deleted }
  }).pipe(orProblem)
