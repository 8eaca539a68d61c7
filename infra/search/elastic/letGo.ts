import type { Copies } from "./refreshed.ts"

/** A copy of a shard, as Elasticsearch tells of it. One that is just closed tells little. */
interface Copy {
  readonly seq_no?: { readonly max_seq_no: number; readonly global_checkpoint: number }
  readonly retention_leases?: { readonly leases?: ReadonlyArray<{ readonly retaining_seq_no: number }> }
  readonly commit?: { readonly user_data?: { readonly local_checkpoint?: string; readonly max_seq_no?: string } }
  readonly merges?: { readonly current: number }
}

/** What `_stats/docs,merge?level=shards` answers. */
export interface Stats extends Copies {
  readonly _all?: { readonly total?: { readonly docs?: { readonly deleted: number } } }
  readonly indices?: {
    readonly [name: string]: {
      readonly uuid: string
      readonly shards?: { readonly [shard: string]: ReadonlyArray<Copy> }
    }
  }
}

const shardsIn = ({ indices = {} }: Stats) =>
  Object.values(indices).flatMap(({ uuid, shards = {} }) =>
    Object.entries(shards).map(([shard, copies]) => ({ id: `${uuid} ${shard}`, copies }))
  )

/** The number of the last write to each shard. */
export type LastWrites = ReadonlyMap<string, number>

/** `undefined`: a copy does not tell. */
export const lastWritesIn = (stats: Stats): LastWrites | undefined => {
  const last = new Map<string, number>()
  for (const { id, copies } of shardsIn(stats)) {
    const numbers = copies.map(({ seq_no }) => seq_no?.max_seq_no)
    const known = numbers.filter((number) => number !== undefined)
    if (known.length < numbers.length) return undefined
    last.set(id, Math.max(-1, ...known))
  }
  return last
}

/** Whether a condition holds for each copy; it is told the last of the writes that matter to the copy's shard. */
const isForAll = (stats: Stats, writes: LastWrites, holds: (copy: Copy, last: number) => boolean): boolean =>
  shardsIn(stats).every(({ id, copies }) => copies.every((copy) => holds(copy, writes.get(id) ?? -1)))

/** Whether each copy's files themselves say what these writes did. */
export const areOnDisk = (stats: Stats, writes: LastWrites): boolean =>
  isForAll(stats, writes, ({ commit }, last) => Number(commit?.user_data?.local_checkpoint ?? -2) >= last)

/**
 * Whether a merge that begins now leaves out what these writes deleted, in each copy: no copy may still ask another one
 * for it, it would not be needed after a crash, and no merge is under way that began before this was so.
 */
export const isLetGo = (stats: Stats, writes: LastWrites): boolean =>
  areOnDisk(stats, writes) &&
  isForAll(stats, writes, ({ retention_leases: kept, commit, seq_no: numbers, merges }, last) => {
    const isCommitSafe = Number(commit?.user_data?.max_seq_no) <= (numbers?.global_checkpoint ?? -1)
    return isCommitSafe && merges?.current === 0 && (kept?.leases ?? []).every((one) => one.retaining_seq_no > last)
  })
