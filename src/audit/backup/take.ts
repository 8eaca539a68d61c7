import { Clock, Effect, Stream } from "effect"
import { beginning, hasReached, isAfter, type Position, positionOf } from "#engine/Position.ts"
import { BackupFault, BackupTarget, BesideRows, type NewFile, RepositoryCopy, type StoredFile } from "#ports/Backup.ts"
import { Installation } from "#ports/Installation.ts"
import { LogSource, type WholeEvent } from "#ports/LogCopy.ts"
import type { CopyProgress } from "../copy/bring.ts"
import type { Chain } from "./chain.ts"
import { type BackupFollowed, follow, followedFrom, type RepositoryHead } from "./followed.ts"
import { lineOf } from "./line.ts"
import {
  type BackedFile,
  formatVersion,
  installationOf,
  type Manifest,
  type Mark,
  manifestName,
  markName,
  numbered
} from "./manifest.ts"

const utf8 = new TextEncoder()

/** Begins a file, has `fill` write it, and finishes it. */
const file = <E, R>(
  name: string,
  options: { readonly compressed: boolean },
  fill: (file: NewFile) => Effect.Effect<void, E, R>
) =>
  Effect.scoped(
    Effect.flatMap(BackupTarget, (target) =>
      Effect.gen(function* () {
        const begun = yield* target.begin(name, options)
        yield* fill(begun)
        return yield* begun.finish
      })
    )
  )

const writeLines = (to: NewFile, lines: Iterable<string>) => to.write(utf8.encode([...lines].join("")))

/**
 * Writes the events up to a position, in files of a bounded size, and what they erase into `erasures`. Answers with the
 * files and the last event.
 */
const writeLog = Effect.fnUntraced(function* (
  number: number,
  from: { readonly at: Position; readonly part: number },
  head: Position,
  followed: BackupFollowed,
  erasures: NewFile,
  progress: CopyProgress
) {
  const source = yield* LogSource
  const { partBytes } = yield* BackupTarget
  const files: Array<StoredFile> = []
  let [at, part, events] = [from.at, from.part, 0]
  let last: WholeEvent | undefined
  while (isAfter(head, at)) {
    part += 1
    const written = yield* file(`log/${numbered(number)}-${numbered(part)}.ndjson`, { compressed: true }, (to) =>
      Effect.gen(function* () {
        for (let bytes = 0; bytes < partBytes && isAfter(head, at); ) {
          const page = (yield* source.page(at)).events.filter(({ position }) => hasReached(head, position))
          if (page.length === 0) {
            at = head
            break
          }
          for (const event of page) {
            const line = utf8.encode(lineOf(event))
            yield* to.write(line)
            bytes += line.length
          }
          yield* Effect.try({
            try: () => page.forEach((event) => follow(followed, event)),
            catch: (error) => error as BackupFault
          })
          yield* writeLines(erasures, followed.erasures)
          followed.erasures = []
          events += page.length
          last = page.at(-1)!
          at = last.position
          progress(at, head, events)
        }
      })
    )
    files.push(written)
  }
  return { files, events, last, part, at }
})

/** Writes a repository's pack and its index; `part` tells them from others of the same repository in this backup. */
const packed = Effect.fnUntraced(function* (
  number: number,
  part: number,
  repository: string,
  since: string | undefined,
  { workspace, commit }: RepositoryHead
) {
  const pack = yield* (yield* RepositoryCopy).pack(repository, since, commit)
  const name = `repositories/${repository}/${numbered(number)}${part === 1 ? "" : `-${numbered(part)}`}`
  const own = { repository, workspace, commit }
  const bytes = yield* file(`${name}.pack`, { compressed: false }, (to) => Stream.runForEach(pack.pieces, to.write))
  const index = yield* file(`${name}.idx`, { compressed: false }, (to) => to.write(pack.index()))
  return [
    { ...bytes, holds: "pack", ...own },
    { ...index, holds: "index", ...own }
  ] satisfies ReadonlyArray<BackedFile>
})

/**
 * Adds a backup to the given ones (`undefined`: it is the first). It writes what is beside the log first, then the log
 * up to its present head, then what the log names in git: so whatever is named is there. If a repository or a text was
 * erased meanwhile, it goes on with the log up to the event that says so.
 */
export const take = Effect.fnUntraced(function* (chain: Chain | undefined, progress: CopyProgress) {
  const source = yield* LogSource
  const target = yield* BackupTarget
  const { secret, positions } = yield* Installation
  const began = new Date(yield* Clock.currentTimeMillis).toISOString()
  const previous = chain?.manifests.at(-1)
  const number = (previous?.number ?? 0) + 1
  const installation = installationOf(secret)
  if (previous !== undefined) {
    const { stream, revision, event, to } = previous.log
    const found = yield* source.find(stream, revision)
    if (found?.eventId !== event || found.position !== to) {
      return yield* new BackupFault({
        message:
          "the last backup in the folder has events that this log has not: the log was restored since. Begin another folder."
      })
    }
  }
  const mark: Mark = { format: "cairn-backup", version: formatVersion, installation, engine: source.engine }
  if (chain === undefined) yield* target.put(markName, `${JSON.stringify(mark, null, 2)}\n`)

  const rows = yield* BesideRows
  const beside = yield* file(`beside/${numbered(number)}.ndjson`, { compressed: true }, (to) =>
    Effect.andThen(
      writeLines(to, [`${JSON.stringify({ secret, positions: positions ?? null })}\n`]),
      Stream.runForEach(rows.pages, (lines) =>
        writeLines(
          to,
          lines.map((line) => `${line}\n`)
        )
      )
    )
  )

  const files: Array<BackedFile> = [{ ...beside, holds: "beside" }]
  const after = previous === undefined ? beginning : positionOf(previous.log.to)
  const followed = followedFrom(chain?.repositories ?? new Map())
  const erasuresFile = yield* target.begin(`erasures/${numbered(number)}.ndjson`, { compressed: true })
  yield* writeLines(erasuresFile, [`${JSON.stringify({ installation, after })}\n`])
  let from = { at: after, part: 0 }
  let events = 0
  let last: WholeEvent | undefined
  const made = new Map<string, ReadonlyArray<BackedFile>>()
  for (;;) {
    const head = yield* source.head
    followed.lacking = false
    const written = yield* writeLog(number, from, head, followed, erasuresFile, progress)
    files.push(...written.files.map((one) => ({ ...one, holds: "log" as const })))
    events += written.events
    last = written.last ?? last
    from = written
    // the erasure of a missing text is in the log by now, after the events that were read
    if (followed.lacking && (yield* source.head) !== head) continue
    let gone: string | undefined
    for (const repository of followed.erased) made.delete(repository)
    for (const [repository, head] of followed.heads) {
      // packs that were sent can't be changed: when the log went on, one more has what came meanwhile
      const before = made.get(repository) ?? []
      const since = before.at(-1)?.commit ?? chain?.repositories.get(repository)?.commit
      if (before.length > 0 && since === head.commit) continue
      const pack = yield* Effect.catchTag(
        packed(number, before.length / 2 + 1, repository, since, head),
        "RepositoryGone",
        () => Effect.undefined
      )
      if (pack === undefined) {
        gone = repository
        break
      }
      made.set(repository, [...before, ...pack])
    }
    if (gone === undefined) break
    if ((yield* source.head) === head) {
      return yield* new BackupFault({
        message: `the repository ${gone} is not there, and the log does not say that it was erased: see \`cairn verify\`.`
      })
    }
  }

  const finished = new Date(yield* Clock.currentTimeMillis).toISOString()
  if (last === undefined && previous === undefined) {
    return yield* new BackupFault({ message: "there is nothing to back up: the log is empty." })
  }
  const to = last?.position ?? after
  yield* writeLines(erasuresFile, [`${JSON.stringify({ to, until: began })}\n`])
  const erasures = yield* erasuresFile.finish
  files.push(...[...made.values()].flat(), { ...erasures, holds: "erasures" })
  const log =
    last === undefined
      ? { ...previous!.log, after, events: 0 }
      : { after, to, stream: last.stream, revision: last.revision, event: last.eventId, events }
  const manifest: Manifest = {
    format: "cairn-backup",
    version: formatVersion,
    number,
    previous: previous === undefined ? null : { number: previous.number, sha256: chain!.sha256 },
    installation,
    began,
    finished,
    log,
    files,
    erased: [...followed.erased]
  }
  yield* target.put(manifestName(number), `${JSON.stringify(manifest, null, 1)}\n`)
  return manifest
}, Effect.scoped)
