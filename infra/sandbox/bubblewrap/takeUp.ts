import { Effect } from "effect"
import { pathProblem } from "#domain/workspacePath.ts"
import type { EntryKind, Overlay, OverlayError } from "#ports/WorkspaceStore.ts"
import { mostBytes } from "./limits.ts"
import type { Found } from "./listing.ts"
import { differ, hashOf, keptTarget, type Mirror, shown, textOf, topmost } from "./Mirror.ts"
import type { Mounts } from "./Mounts.ts"

/** What the Overlay did not take of a command's work. */
export interface Taken {
  /** One line for each entry that a workspace can't hold. These entries are removed. */
  readonly refused: ReadonlyArray<string>
  /** Why the Overlay took no more: it would have passed its limits. */
  readonly full: string | undefined
}

/** Bytes and files that are read at once. */
const batchBytes = 4 * 1024 * 1024
const batchFiles = 2_000
/** Milliseconds; timestamps are no coarser. An entry changed more recently may change again under the same stamp. */
const tick = 50

const kinds: { readonly [type: string]: string } = {
  p: "a FIFO",
  s: "a socket",
  c: "a device",
  b: "a device"
}

interface Taking extends Found {
  readonly path: string
  readonly kind: EntryKind
}

const kindOf = ({ type, executable }: Found): EntryKind => {
  if (type === "d") return "directory"
  if (type === "l") return "symlink"
  return executable ? "executable" : "file"
}

/**
 * Puts into the Overlay exactly what differs in the file system from what `mirror` knew to lie there. When it ends in a
 * defect, or is interrupted, a part of that is done: the caller has to undo it.
 */
export const takeUp = Effect.fnUntraced(function* (overlay: Overlay, mounts: Mounts, mirror: Mirror) {
  const began = Date.now()
  const refused = new Map<string, string>()
  const refuse = (name: string, why: string) => refused.set(name, `${shown(name)}: ${why}`)
  const found = new Map<string, Taking>()
  let skipped: string | undefined
  for (const entry of yield* Effect.promise(() => mounts.list())) {
    const { name, type } = entry
    if (skipped !== undefined && name.startsWith(skipped)) continue
    const path = textOf(name)
    const problem =
      path === undefined
        ? "a name must be UTF-8 text"
        : (pathProblem(path) ?? (kinds[type] && `${kinds[type]} can't be kept`))
    if (path === undefined || problem !== undefined) {
      refuse(name, problem!)
      skipped = `${name}/`
    } else found.set(name, { ...entry, path, kind: kindOf(entry) })
  }

  const files = [...found.values()].filter(({ kind }) => kind === "file" || kind === "executable")
  const claimed = files.reduce((total, { size }) => total + size, 0)
  if (claimed > mostBytes) {
    return yield* givenUp(mounts, mirror, `The files would have ${claimed} bytes together; they may have ${mostBytes}.`)
  }

  const attempt = (name: string, change: Effect.Effect<void, OverlayError>) =>
    Effect.as(change, true).pipe(
      Effect.catchTags({
        PathRefused: ({ path, message }) => {
          refuse(name, message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message)
          return Effect.succeed(false)
        },
        FileError: (error) => {
          refuse(name, error.message)
          return Effect.succeed(false)
        }
      })
    )

  const taking = Effect.gen(function* () {
    const goners = [...mirror].filter(([name, { kind }]) => {
      const now = found.get(name)
      return now === undefined || differ(kind, now.kind)
    })
    const names = goners.map(([name]) => name)
    for (const name of topmost(names)) {
      yield* Effect.orDie(overlay.remove(textOf(name)!, { recursive: true, force: true }))
    }
    for (const name of names) mirror.delete(name)

    for (const { name, path, kind, target } of found.values()) {
      const known = mirror.get(name)
      if (kind === "directory") {
        if (known !== undefined) continue
        const made = yield* attempt(name, overlay.mkdir(path, { recursive: true }))
        if (made) mirror.set(name, { kind, content: "", base: false, stamp: undefined })
      } else if (kind === "symlink") {
        const text = textOf(target)
        const kept = text === undefined ? undefined : keptTarget(path, text)
        if (kept === undefined) refuse(name, "a symbolic link's target must be UTF-8 text")
        if (known?.content === kept) continue
        if (known !== undefined) yield* Effect.orDie(overlay.remove(path))
        mirror.delete(name)
        if (kept !== undefined && (yield* attempt(name, overlay.symlink(kept, path)))) {
          mirror.set(name, { kind, content: kept, base: false, stamp: undefined })
        }
      }
    }

    const stale = files.filter(({ name, stamp }) => mirror.get(name)?.stamp !== stamp)
    for (const batch of batches(stale)) {
      const contents = yield* Effect.promise(() => mounts.read(batch))
      for (const [index, { name, path, kind, stamp, changed }] of batch.entries()) {
        const bytes = contents[index]!
        const content = hashOf(bytes)
        const known = mirror.get(name)
        const same = known?.content === content
        const executable = kind === "executable"
        const isKept =
          (same && known.kind === kind) ||
          (yield* attempt(
            name,
            same ? overlay.chmod(path, executable) : overlay.writeFile(path, bytes, { executable })
          ))
        if (!isKept) mirror.delete(name)
        else {
          const base = same && known.kind === kind && known.base
          mirror.set(name, { kind, content, base, stamp: changed < began - tick ? stamp : undefined })
        }
      }
    }
  })
  const full = yield* taking.pipe(
    Effect.as(undefined),
    Effect.catchTag("WorkspaceFull", ({ message }) => Effect.succeed(message))
  )
  if (full !== undefined) return yield* givenUp(mounts, mirror, full)
  yield* Effect.promise(() => mounts.remove([...refused.keys()]))
  return { refused: [...refused.values()], full } satisfies Taken
})

const givenUp = (mounts: Mounts, mirror: Mirror, full: string): Effect.Effect<Taken> =>
  Effect.promise(async () => {
    mirror.clear()
    await mounts.clear()
    return { refused: [], full }
  })

function* batches(files: ReadonlyArray<Taking>) {
  let batch: Array<Taking> = []
  let size = 0
  for (const file of files) {
    if (batch.length > 0 && (size + file.size > batchBytes || batch.length >= batchFiles)) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(file)
    size += file.size
  }
  if (batch.length > 0) yield batch
}
