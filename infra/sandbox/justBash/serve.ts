import { Effect } from "effect"
import type { Overlay, OverlayError } from "#ports/WorkspaceStore.ts"
import type { Answer, Call, CallFailed } from "./protocol.ts"

/** A mounted path as the Overlay knows it. */
const inside = (path: string) => String(path).replace(/^\/+/, "")

const perform = (overlay: Overlay, { name, args }: Call): Effect.Effect<unknown, OverlayError> => {
  const path = inside(args[0])
  switch (name) {
    case "stat":
      return overlay.stat(path)
    case "lstat":
      return overlay.lstat(path)
    case "readFile":
      return overlay.readFile(path)
    case "readlink":
      return overlay.readlink(path)
    case "readdir":
      return Effect.map(overlay.readdir(path), (entries) =>
        entries.map((entry) => ({ name: entry.path.slice(entry.path.lastIndexOf("/") + 1), kind: entry.kind }))
      )
    case "writeFile":
      return overlay.writeFile(path, args[1])
    case "appendFile":
      return append(overlay, path, args[1])
    case "mkdir":
      return overlay.mkdir(path, { recursive: args[1] })
    case "remove":
      return overlay.remove(path, { recursive: args[1], force: args[2] })
    case "rename":
      return overlay.rename(path, inside(args[1]))
    case "symlink":
      return overlay.symlink(args[0], inside(args[1]))
    case "chmod":
      return overlay.chmod(path, args[1])
  }
}

const append = Effect.fnUntraced(function* (overlay: Overlay, path: string, bytes: Uint8Array) {
  // A redirection opens its file with an empty append.
  if (bytes.length === 0 && (yield* Effect.isSuccess(overlay.stat(path)))) return
  const before = yield* Effect.catchIf(
    overlay.readFile(path),
    (error) => error._tag === "FileError" && error.code === "ENOENT",
    () => Effect.succeed(new Uint8Array())
  )
  yield* overlay.writeFile(path, Buffer.concat([before, bytes]))
})

const failureOf = (error: OverlayError): CallFailed => {
  switch (error._tag) {
    case "FileError":
      return { code: error.code, message: error.message }
    case "PathRefused":
      return { code: "EACCES", message: error.message }
    case "WorkspaceFull":
      return { code: "ENOSPC", message: error.message }
  }
}

/** Does on the Overlay what the child asked for. A change that began is finished, whatever happens to the command. */
export const serve = (overlay: Overlay, call: Call): Effect.Effect<Answer> =>
  Effect.uninterruptible(
    Effect.match(perform(overlay, call), {
      onSuccess: (value) => ({ value }),
      onFailure: (error) => ({ failure: failureOf(error) })
    })
  )
