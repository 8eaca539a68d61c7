import { stepsBetween } from "./edits.ts"
import type { DiffLine, FileDiff, Hunk } from "./parse.ts"

/** Bounds of the search for renamed files that were also edited: lines of one file, and comparisons of lines in all. */
const [mostLines, mostLooks] = [5_000, 2_000_000]
/** The least share of common lines for two files to be one that was renamed. */
const leastAlike = 0.5
/** How many lines of context are around a change. */
const around = 3

type Pair = readonly [gone: FileDiff, come: FileDiff]

const nameOf = ({ path }: FileDiff): string => path.slice(path.lastIndexOf("/") + 1)
const linesOf = ({ hunks }: FileDiff): ReadonlyArray<DiffLine> => hunks.flatMap(({ lines }) => lines)
const textOf = ({ text, open }: DiffLine): string => (open ? `${text}\n` : text)
const renamed = (from: FileDiff, to: FileDiff, hunks: ReadonlyArray<Hunk>): FileDiff => {
  const count = (kind: DiffLine["kind"]) => linesOf({ ...to, hunks }).filter((line) => line.kind === kind).length
  const [added, removed] = [count("added"), count("removed")]
  return { ...to, from: from.path, status: "renamed", remark: undefined, added, removed, hunks }
}

/**
 * What two files with the same content have in common; `undefined`: that can't be told. For text it is the text itself,
 * because the diff has only an abbreviation of git's name, and somebody could make another text with the same one.
 */
const contentOf = ({ blob, mode, isBinary, remark, ...file }: FileDiff): string | undefined => {
  if (blob === undefined || remark !== undefined) return undefined
  const lines = file.hunks.flatMap(({ lines }) => lines.map(textOf))
  return JSON.stringify([mode, blob, isBinary, ...lines])
}

/** What of a file is compared with others: how often it has each line, and the length of all lines. */
interface Counted {
  readonly counts: ReadonlyMap<string, number>
  readonly size: number
}

const counted = (file: FileDiff): Counted => {
  const counts = new Map<string, number>()
  let size = 0
  for (const line of linesOf(file).map(textOf)) {
    counts.set(line, (counts.get(line) ?? 0) + 1)
    size += line.length + 1
  }
  return { counts, size }
}

/** The share of the longer file that both have, from 0 to 1. */
const likeness = (old: Counted, come: Counted): number => {
  const longer = Math.max(1, old.size, come.size)
  if (Math.min(old.size, come.size) / longer < leastAlike) return 0
  let common = 0
  for (const [line, count] of come.counts) common += Math.min(count, old.counts.get(line) ?? 0) * (line.length + 1)
  return common / longer
}

/** What changed in a renamed file; `undefined`: that would be too much work. */
const hunksBetween = (gone: FileDiff, come: FileDiff): ReadonlyArray<Hunk> | undefined => {
  const [olds, news] = [linesOf(gone), linesOf(come)]
  const steps = stepsBetween(olds.map(textOf), news.map(textOf))
  if (steps === undefined) return undefined
  let [before, after] = [0, 0]
  const all = steps.map((kind): DiffLine => {
    const { text, open } = kind === "added" ? news[after]! : olds[before]!
    return {
      kind,
      text,
      open,
      before: kind === "added" ? undefined : ++before,
      after: kind === "removed" ? undefined : ++after
    }
  })
  const hunks: Array<{ readonly title: string; readonly lines: Array<DiffLine> }> = []
  let last = Number.NEGATIVE_INFINITY
  for (const [at, line] of all.entries()) {
    const isNear = all.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== "same")
    if (!isNear) continue
    if (at > last + 1) hunks.push({ title: "", lines: [] })
    hunks.at(-1)!.lines.push(line)
    last = at
  }
  return hunks
}

/** Whether the diff has all of the file's lines. */
const isWhole = (file: FileDiff): boolean =>
  !file.isBinary && file.remark === undefined && file.hunks.length > 0 && linesOf(file).length <= mostLines

/**
 * Shows a removed file and an added one with the same content, or most of it, as one that was renamed. The service
 * gives them as two, as a commit does.
 */
export const withRenames = (files: ReadonlyArray<FileDiff>): ReadonlyArray<FileDiff> => {
  const left = new Set(files.filter(({ status }) => status === "deleted"))
  const found = new Map<FileDiff, FileDiff>()
  const take = ([gone, come]: Pair, hunks: ReadonlyArray<Hunk>) => {
    left.delete(gone)
    found.set(come, renamed(gone, come, hunks))
  }
  const created = files.filter(({ status }) => status === "created")
  const contents = new Map([...left, ...created].map((file) => [file, contentOf(file)]))
  const takeSame = (keyOf: (file: FileDiff) => string | undefined) => {
    const waiting = Map.groupBy([...left].reverse(), keyOf)
    for (const come of created) {
      const key = found.has(come) ? undefined : keyOf(come)
      const gone = key === undefined ? undefined : waiting.get(key)?.pop()
      if (gone !== undefined) take([gone, come], [])
    }
  }
  takeSame((file) => contents.get(file) && `${contents.get(file)}${nameOf(file)}`)
  // an empty file has no lines to compare, so its name has to be the same
  takeSame((file) => (file.isBinary || file.hunks.length > 0 ? contents.get(file) : undefined))
  const olds = [...left].filter(isWhole)
  const news = created.filter((file) => !found.has(file) && isWhole(file))
  const sum = (all: ReadonlyArray<FileDiff>) => all.reduce((looks, file) => looks + around + linesOf(file).length, 0)
  if (olds.length * sum(news) + news.length * sum(olds) <= mostLooks) {
    const counts = new Map([...olds, ...news].map((file) => [file, counted(file)]))
    const alike = olds
      .flatMap((gone) =>
        news
          .filter(({ mode }) => mode === gone.mode)
          .map((come) => ({ gone, come, share: likeness(counts.get(gone)!, counts.get(come)!) }))
      )
      .filter(({ share }) => share >= leastAlike)
      .sort((one, other) => other.share - one.share)
    // a file that differs too much from the one most like it does so from all others: it is looked at once
    const hopeless = new Set<FileDiff>()
    for (const { gone, come } of alike) {
      if (!left.has(gone) || found.has(come) || hopeless.has(gone) || hopeless.has(come)) continue
      const hunks = hunksBetween(gone, come)
      if (hunks !== undefined) take([gone, come], hunks)
      else hopeless.add(gone).add(come)
    }
  }
  return files.flatMap((file) => (file.status === "deleted" && !left.has(file) ? [] : [found.get(file) ?? file]))
}
