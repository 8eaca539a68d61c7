import { Context, Effect, Layer } from "effect"
import { accessOf } from "#domain/access/permitted.ts"
import { DiskSpace, type Space } from "#ports/DiskSpace.ts"

/** What the service has on a disk: the data folder itself, the embedded Postgres, or the repositories. */
export type Disk = "data" | "database" | "workspaces"

/** Bytes that stay free: with less than `refuse`, writes are refused until `resume`, which is no less, are free. */
export interface Reserve {
  readonly refuse: number
  readonly resume: number
}

/** How a disk stands. */
export interface DiskStanding {
  /** Bytes. */
  readonly free: number
  readonly reserve: Reserve
  readonly nearlyFull: boolean
}

const mebibyte = 1024 * 1024

/** A reserve of that many bytes, with a quarter more to be free before writes are taken again. */
export const keeping = (refuse: number): Reserve => ({ refuse, resume: Math.ceil(refuse * 1.25) })

/** The default reserve: 512 MiB or, of a small disk, a twentieth, so that something is left to use. */
const reserveOf = (size: number): Reserve => keeping(Math.min(512 * mebibyte, Math.floor(size / 20)))

/** How a disk stands after another look. Between the two bounds it stays as it was, or each write could turn it. */
export const standingAfter = (
  before: DiskStanding | undefined,
  { free, size }: Space,
  given: Reserve | undefined
): DiskStanding => {
  const reserve = given ?? reserveOf(size)
  return { free, reserve, nearlyFull: free < (before?.nearlyFull ? reserve.resume : reserve.refuse) }
}

/** The disks that an operation needs room on; none when it only reads, or takes away. */
export const disksOf = (operation: string): ReadonlyArray<Disk> => {
  // what is sent waits in the data folder, and may be as large as the largest repository
  if (operation === "backups.backup") return ["data"]
  const access = accessOf(operation)
  if (access === undefined || access.does === "reads" || access.takesAway === true) return []
  return access.within === "workspaces" ? ["database", "workspaces"] : ["database"]
}

/** How the watched disks stand now. */
export const Disks = Context.Reference<() => ReadonlyMap<Disk, DiskStanding>>("cairn/Disks", {
  defaultValue: () => () => new Map()
})

const mebibytes = (bytes: number) => `${Math.floor(bytes / mebibyte)} MiB`
const names = { data: "data folder", database: "database", workspaces: "workspaces" } as const

/** Says that a disk is nearly full, and what that means. */
const told = (disk: Disk, { free, reserve: { refuse, resume } }: DiskStanding) =>
  `The disk of the ${names[disk]} is nearly full: ${mebibytes(free)} are free, and ${mebibytes(refuse)} are kept free. Writes are taken again from ${mebibytes(resume)} on.`

/** Why there is no room for an operation, in words for its caller; `undefined`: there is room. */
export const fullFor = (standings: ReadonlyMap<Disk, DiskStanding>, operation: string): string | undefined => {
  for (const disk of disksOf(operation)) {
    const standing = standings.get(disk)
    if (standing?.nearlyFull) return told(disk, standing)
  }
  return undefined
}

/** The disks that are nearly full. */
export const nearlyFull = (standings: ReadonlyMap<Disk, DiskStanding>): ReadonlyArray<Disk> =>
  [...standings].flatMap(([disk, standing]) => (standing.nearlyFull ? [disk] : []))

/** How often disks are looked at: in that time a disk takes some hundred megabytes, and the reserve is more. */
const pause = "1 second"

/** Watches the disks of these folders. A disk that can't be looked at stays as it was. */
export const watched = (
  folders: ReadonlyArray<readonly [disk: Disk, folder: string]>,
  reserve: Reserve | "off" | undefined
) =>
  Layer.effect(
    Disks,
    Effect.gen(function* () {
      const standings = new Map<Disk, DiskStanding>()
      if (reserve === "off") return () => standings
      const space = yield* DiskSpace
      const look = Effect.forEach(
        folders,
        Effect.fnUntraced(function* ([disk, folder]) {
          const found = yield* space.of(folder)
          if (found === undefined) return
          const before = standings.get(disk)
          const now = standingAfter(before, found, reserve)
          standings.set(disk, now)
          if (now.nearlyFull === (before?.nearlyFull ?? false)) return
          yield* now.nearlyFull
            ? Effect.logWarning(`${told(disk, now)} (CAIRN_DISK_RESERVE)`)
            : Effect.logInfo(`the disk of the ${names[disk]} has room again (${mebibytes(now.free)}): writes go on`)
        }),
        { discard: true }
      )
      yield* look
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(pause), look)))
      return () => standings
    })
  )
