import { Effect } from "effect"
import { isAfter, positionOf } from "#engine/Position.ts"
import { BackupFault, BackupFolder } from "#ports/Backup.ts"
import { readLines } from "#src/snippets/lines.ts"
import type { Chain } from "./chain.ts"

/** What was erased after a backup was made, as far as the files of erasures in its folder say. */
export interface ErasedSince {
  /** Whether the texts of a tenant's subject were erased since. */
  readonly has: (tenant: string, subject: string) => boolean
  readonly texts: number
  readonly workspaces: ReadonlyArray<{
    readonly tenant: string
    readonly workspace: string
    readonly generation: number
  }>
  readonly organizations: ReadonlyArray<string>
  /** The time up to which no erasure is missing; `undefined`: no file of erasures goes on from the backup. */
  readonly until: string | undefined
}

interface Line {
  readonly installation?: string
  readonly after?: number
  readonly to?: number
  readonly until?: string
  readonly tenant?: string
  readonly subject?: string
  readonly organization?: string
  readonly workspace?: string
  readonly generation?: number
}

const nameOf = (tenant: string, subject: string): string => `${tenant}\0${subject}`

/** Gives each line to `see`, until it answers that it wants no more. */
const read = Effect.fnUntraced(function* (name: string, see: (line: Line, text: string) => boolean) {
  const folder = yield* BackupFolder
  yield* Effect.tryPromise({
    try: async () => {
      for await (const line of readLines(folder.read(name), 2 ** 30)) {
        if (line.text === undefined) throw new BackupFault({ message: "A file of erasures is damaged." })
        if (!see(JSON.parse(line.text) as Line, line.text)) return
      }
    },
    catch: (error) =>
      error instanceof BackupFault ? error : new BackupFault({ message: `${folder.directory}/${name} is damaged.` })
  })
})

/** The lines of the erasures that are in the given backups' own log. */
const ownLines = Effect.fnUntraced(function* ({ manifests }: Chain) {
  const own = new Set<string>()
  for (const { holds, name } of manifests.flatMap(({ files }) => files)) {
    if (holds !== "erasures") continue
    yield* read(name, ({ installation, to }, text) => {
      if (installation === undefined && to === undefined) own.add(text)
      return true
    })
  }
  return own
})

/**
 * Reads what was erased since the last of the given backups. Each backup's file of erasures goes on where the one
 * before it ended: if one is missing, those after it are not used. All erasures are kept in memory.
 */
export const erasedSince = Effect.fnUntraced(function* (chain: Chain) {
  const { mark, manifests } = chain
  const folder = yield* BackupFolder
  const last = manifests.at(-1)!
  const names = (yield* folder.list("erasures")).filter(
    // the erasures in the files of the given backups are in their log, too
    (name) => Number(/^erasures\/(\d{6,})\.ndjson\.gz(\.age)?$/.exec(name)?.[1] ?? 0) > last.number
  )
  // a file of an archive, or of a later folder, begins before the end of these: what is in their log is no news
  const own = names.length === 0 ? new Set<string>() : yield* ownLines(chain)
  const subjects = new Set<string>()
  const organizations: Array<string> = []
  const workspaces: Array<ErasedSince["workspaces"][number]> = []
  let at = positionOf(last.log.to)
  let until: string | undefined
  for (const name of names) {
    let wanted = false
    let [to, told] = [at, until]
    yield* read(name, (line, text) => {
      if (line.installation !== undefined) {
        // a file that ends earlier is skipped by its last line; one that begins later would leave a gap
        wanted = line.installation === mark.installation && !isAfter(positionOf(line.after!), at)
        return wanted
      }
      if (line.to !== undefined) [to, told] = [positionOf(line.to), line.until]
      else if (own.has(text)) return true
      else if (line.subject !== undefined) subjects.add(nameOf(line.tenant!, line.subject))
      else if (line.organization !== undefined) organizations.push(line.organization)
      else if (line.workspace !== undefined)
        workspaces.push({ tenant: line.tenant!, workspace: line.workspace, generation: line.generation! })
      return true
    })
    // an older file ends before this position
    if (!wanted || told === until || isAfter(at, to)) continue
    at = to
    until = told
  }
  const found: ErasedSince = {
    has: (tenant, subject) => subjects.has(nameOf(tenant, subject)),
    texts: subjects.size,
    organizations,
    workspaces,
    until
  }
  return found
})
