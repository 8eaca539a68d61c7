import { Effect } from "effect"
import { beginning, isAfter, type Position, positionOf } from "#engine/Position.ts"
import { StoreUnavailable } from "#engine/ports/EventStore.ts"
import { BackupFault, BackupFolder } from "#ports/Backup.ts"
import type { LogSource, WholeEvent } from "#ports/LogCopy.ts"
import { readLines } from "#src/snippets/lines.ts"
import type { Chain } from "./chain.ts"
import type { ErasedSince } from "./erasedSince.ts"
import { eventOf } from "./line.ts"

/** What a page holds at most; a text that is longer is a page of its own. */
const most = { events: 1_000, bytes: 4 * 1024 * 1024 }
/** No line is as long. */
const longestLine = 2 ** 30

/** The subject of an event that came with text. */
export const subjectOf = ({ data }: WholeEvent): string =>
  String((JSON.parse(data) as { readonly subject?: unknown }).subject)

/** The log of backups, read from its beginning on; a page at a time is in memory. */
export const sourceOf = Effect.fnUntraced(function* (chain: Chain, since: ErasedSince) {
  const folder = yield* BackupFolder
  const files = chain.manifests.flatMap((manifest) => manifest.files.filter(({ holds }) => holds === "log"))

  /** A text that was erased since is never given out. */
  const shown = (event: WholeEvent): WholeEvent =>
    event.text !== null && since.has(event.tenant, event.text.subject) ? { ...event, text: null } : event

  async function* events(): AsyncGenerator<WholeEvent> {
    for (const { name } of files) {
      for await (const line of readLines(folder.read(name), longestLine)) {
        if (line.text === undefined) throw new BackupFault({ message: `${folder.directory}/${name} ${line.trouble}.` })
        yield shown(eventOf(line.text))
      }
    }
  }

  let [walk, at] = [events(), beginning]
  const next = async (after: Position) => {
    // who begins anew, or goes on behind a place where it was interrupted
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
  const asked = <A>(use: () => Promise<A>) =>
    Effect.tryPromise({
      try: use,
      catch: (error) =>
        new StoreUnavailable({ message: error instanceof BackupFault ? error.message : "The backup can't be read." })
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
  return source
})

/** What lies beside the log in the last of the backups: the installation's secret, rows, and how far reactions had come. */
export const besideOf = Effect.fnUntraced(function* ({ manifests }: Chain) {
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
      return first!
    },
    catch: (error) =>
      error instanceof BackupFault ? error : new BackupFault({ message: `${folder.directory}/${name} is damaged.` })
  })
  return { origin, checkpoints, lines }
})
