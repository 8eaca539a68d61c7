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

const read = async (lines: AsyncIterable<Uint8Array>, see: (line: Line) => boolean): Promise<void> => {
  for await (const line of readLines(lines, 2 ** 30)) {
    if (line.text === undefined) throw new BackupFault({ message: "A file of erasures is damaged." })
    if (!see(JSON.parse(line.text) as Line)) return
  }
}

/**
 * Reads what was erased since the last of the given backups. Each backup's file of erasures goes on where the one
 * before it ended: if one is missing, those after it are not used. All erasures are kept in memory.
 */
export const erasedSince = Effect.fnUntraced(function* ({ mark, manifests }: Chain) {
  const folder = yield* BackupFolder
  const last = manifests.at(-1)!
  const names = (yield* folder.list("erasures")).filter(
    // the erasures in the files of the given backups are in their log, too
    (name) => Number(/^erasures\/(\d{6,})\.ndjson\.gz(\.age)?$/.exec(name)?.[1] ?? 0) > last.number
  )
  const subjects = new Set<string>()
  const organizations: Array<string> = []
  const workspaces: Array<ErasedSince["workspaces"][number]> = []
  let at = positionOf(last.log.to)
  let until: string | undefined
  for (const name of names) {
    let wanted = false
    let [to, told] = [at, until]
    const see = (line: Line): boolean => {
      if (line.installation !== undefined) {
        // a file that ends earlier is skipped by its last line; one that begins later would leave a gap
        wanted = line.installation === mark.installation && !isAfter(positionOf(line.after!), at)
        return wanted
      }
      if (line.to !== undefined) [to, told] = [positionOf(line.to), line.until]
      else if (line.subject !== undefined) subjects.add(nameOf(line.tenant!, line.subject))
      else if (line.organization !== undefined) organizations.push(line.organization)
      else if (line.workspace !== undefined)
        workspaces.push({ tenant: line.tenant!, workspace: line.workspace, generation: line.generation! })
      return true
    }
    yield* Effect.tryPromise({
      try: () => read(folder.read(name), see),
      catch: (error) =>
        error instanceof BackupFault ? error : new BackupFault({ message: `${folder.directory}/${name} is damaged.` })
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
