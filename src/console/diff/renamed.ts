import { stepsBetween } from "./edits.ts"
import type { DiffLine, FileDiff, Hunk } from "./parse.ts"

/** Up to so many lines of a file, and looks at lines of all, it is looked whether one is another that was edited. */
const [mostLines, mostLooks] = [5_000, 2_000_000]
/** Share of a file that the other has, too, from which on both are one. */
const leastAlike = 0.5
/** Lines around a change. */
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

/** Of what is empty, the name has to say that it is the same. */
const areSame = (gone: FileDiff, come: FileDiff): boolean =>
  gone.blob !== undefined &&
  gone.blob === come.blob &&
  gone.isBinary === come.isBinary &&
  gone.removed === come.added &&
  (gone.isBinary || gone.removed > 0 || nameOf(gone) === nameOf(come))

/** How much of the longer one both have, from 0 to 1. */
const likeness = (olds: ReadonlyArray<string>, news: ReadonlyArray<string>): number => {
  const counts = new Map<string, number>()
  for (const line of olds) counts.set(line, (counts.get(line) ?? 0) + 1)
  let common = 0
  for (const line of news) {
    const count = counts.get(line) ?? 0
    if (count === 0) continue
    counts.set(line, count - 1)
    common += line.length + 1
  }
  const size = (lines: ReadonlyArray<string>) => lines.reduce((sum, { length }) => sum + length + 1, 0)
  return common / Math.max(1, size(olds), size(news))
}

/** What changed in a file that got another name; `undefined`: that would be too much work. */
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

/** Whether all of its lines are there. */
const isWhole = (file: FileDiff): boolean =>
  !file.isBinary && file.remark === undefined && file.hunks.length > 0 && linesOf(file).length <= mostLines

/**
 * Files of which one went and another came with the same content, or most of it, are one that was renamed: the service
 * tells them apart, as a commit does.
 */
export const withRenames = (files: ReadonlyArray<FileDiff>): ReadonlyArray<FileDiff> => {
  const left = new Set(files.filter(({ status }) => status === "deleted"))
  const found = new Map<FileDiff, FileDiff>()
  const take = ([gone, come]: Pair, hunks: ReadonlyArray<Hunk>) => {
    left.delete(gone)
    found.set(come, renamed(gone, come, hunks))
  }
  const byBlob = Map.groupBy(left, ({ blob }) => blob)
  for (const come of files) {
    if (come.status !== "created") continue
    const same = (byBlob.get(come.blob) ?? []).filter((gone) => left.has(gone) && areSame(gone, come))
    const gone = same.find((one) => nameOf(one) === nameOf(come)) ?? same[0]
    if (gone !== undefined) take([gone, come], [])
  }
  const olds = [...left].filter(isWhole)
  const news = files.filter((file) => file.status === "created" && !found.has(file) && isWhole(file))
  const sum = (all: ReadonlyArray<FileDiff>) => all.reduce((lines, file) => lines + linesOf(file).length, 0)
  if (olds.length * sum(news) + news.length * sum(olds) <= mostLooks) {
    const texts = new Map([...olds, ...news].map((file) => [file, linesOf(file).map(textOf)]))
    const alike = olds
      .flatMap((gone) => news.map((come) => ({ gone, come, share: likeness(texts.get(gone)!, texts.get(come)!) })))
      .filter(({ share }) => share >= leastAlike)
      .sort((one, other) => other.share - one.share)
    for (const { gone, come } of alike) {
      if (!left.has(gone) || found.has(come)) continue
      const hunks = hunksBetween(gone, come)
      if (hunks !== undefined) take([gone, come], hunks)
    }
  }
  return files.flatMap((file) => (file.status === "deleted" && !left.has(file) ? [] : [found.get(file) ?? file]))
}
