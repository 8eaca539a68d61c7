import { Effect, Stream } from "effect"
import { type Entry, encode } from "effect/encoding/Tar"

/** Permissions of what is put down. Its owner in the sandbox is the user that unpacks it. */
export const modes = { file: 0o644, executable: 0o755, symlink: 0o777, directory: 0o755 }

/** A tar archive of entries, whole because they lie in memory anyway. */
export const archive = (entries: ReadonlyArray<Entry>): Effect.Effect<Uint8Array> =>
  Stream.fromIterable(entries).pipe(
    Stream.pipeThroughChannel(encode()),
    Stream.runCollect,
    Effect.map((chunks) => Buffer.concat([...chunks])),
    // putDown.ts makes all of these, of what a workspace may have
    Effect.orDie
  )
