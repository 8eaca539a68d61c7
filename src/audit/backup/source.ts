import { Effect } from "effect"
import { beginning, isAfter, type Position, positionOf } from "#engine/Position.ts"
import { StoreUnavailable } from "#engine/ports/EventStore.ts"
import { BackupFault, BackupFolder } from "#ports/Backup.ts"
import type { LogSource, WholeEvent } from "#ports/LogCopy.ts"
import { readLines } from "#src/snippets/lines.ts"
import type { Chain } from "./chain.ts"
import type { ErasedSince } from "./erasedSince.ts"
import { eventOf } from "./line.ts"
import { installationOf, type Manifest } from "./manifest.ts"

/** What a page holds at most; a longer text is a page of its own. */
const most = { events: 1_000, bytes: 4 * 1024 * 1024 }
/** Characters of a line; none is as long. */
const longestLine = 2 ** 30

/** The subject of an event that came with text. */
export const subjectOf = ({ data }: WholeEvent): string =>
  String((JSON.parse(data) as { readonly subject?: unknown }).subject)

/** The log of the given backups, read from its beginning; one page at a time is in memory. */
export const sourceOf = Effect.fnUntraced(function* (chain: Chain, since: ErasedSince) {
  const folder = yield* BackupFolder
  /** A text that was erased since is never given out. */
  const shown = (event: WholeEvent): WholeEvent =>
    event.text !== null && since.has(event.tenant, event.text.subject) ? { ...event, text: null } : event

  async function* eventsOf({ files, log }: Manifest): AsyncGenerator<WholeEvent> {
    let count = 0
    let at = positionOf(log.after)
    for (const { holds, name } of files) {
      if (holds !== "log") continue
      for await (const line of readLines(folder.read(name), longestLine)) {
        if (line.text === undefined) {
          throw new BackupFault({ message: `${folder.directory}/${name} has a line that ${line.trouble}.` })
        }
        const event = eventOf(line.text)
        if (!isAfter(event.position, at)) {
          throw new BackupFault({ message: `${folder.directory}/${name} has events that are not in their order.` })
        }
        at = event.position
        count += 1
        yield shown(event)
      }
    }
    // a reader would wait for missing events, or never notice that they are missing
    if (count !== log.events || (count > 0 && at !== positionOf(log.to))) {
      throw new BackupFault({
        message: `${folder.directory} has ${count} events up to position ${at} where its manifest says ${log.events} up to ${log.to}.`
      })
    }
  }

  async function* events(): AsyncGenerator<WholeEvent> {
    for (const manifest of chain.manifests) yield* eventsOf(manifest)
  }

  let [walk, at] = [events(), beginning]
  const next = async (after: Position) => {
    // the reader begins anew, or goes on after an interruption
    if (at !== after) {
      await walk.return(undefined)
      walk = events()
      at = beginning
    }
    const page: Array<WholeEvent> = []
    let bytes = 0
    for (;;) {
      const { value, done } = await walk.next()
      if (done) return { events: page, more: false }
      if (!isAfter(value.position, after)) continue
      page.push(value)
      at = value.position
      bytes += value.data.length + (value.text?.bytes.length ?? 0)
      if (page.length === most.events || bytes >= most.bytes) return { events: page, more: true }
    }
  }
  let fault: BackupFault | undefined
  const asked = <A>(use: () => Promise<A>) =>
    Effect.tryPromise({
      try: use,
      catch: (error) => {
        fault = error instanceof BackupFault ? error : new BackupFault({ message: "The backup's log can't be read." })
        return new StoreUnavailable({ message: fault.message })
      }
    })
  const source: LogSource["Service"] = {
    engine: chain.mark.engine,
    head: Effect.succeed(positionOf(chain.manifests.at(-1)!.log.to)),
    page: (after) => asked(() => next(after)),
    find: (stream, revision) =>
      asked(async () => {
        for await (const event of events()) if (event.stream === stream && event.revision === revision) return event
        return undefined
      })
  }
  /** `fault`: what was wrong with the backup, if reading it has failed. */
  return { ...source, fault: () => fault }
})

/** A log that is read from backups. */
export type BackedLog = Effect.Success<ReturnType<typeof sourceOf>>

/**
 * What lies beside the log in the last of the backups: the installation's secret, rows, and how far reactions had come.
 */
export const besideOf = Effect.fnUntraced(function* ({ mark, manifests }: Chain) {
  const folder = yield* BackupFolder
  const { name } = manifests.at(-1)!.files.find(({ holds }) => holds === "beside")!
  const lines = async function* () {
    for await (const line of readLines(folder.read(name), longestLine)) if (line.text !== undefined) yield line.text
  }
  const checkpoints = new Map<string, Position>()
  const origin = yield* Effect.tryPromise({
    try: async () => {
      let first: { readonly secret: string; readonly positions: string | null } | undefined
      for await (const text of lines()) {
        const line = JSON.parse(text)
        first ??= line
        if (line.table === "reactions") checkpoints.set(line.row.name, positionOf(line.row.position))
      }
      if (typeof first?.secret !== "string" || installationOf(first.secret) !== mark.installation) {
        throw new BackupFault({ message: `${folder.directory}/${name} is another Cairn's, or damaged.` })
      }
      return first
    },
    catch: (error) =>
      error instanceof BackupFault ? error : new BackupFault({ message: `${folder.directory}/${name} is damaged.` })
  })
  return { origin, checkpoints, lines }
})
