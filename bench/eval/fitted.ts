import { features } from "#domain/search/Features.ts"
import type { Judge } from "#domain/search/Judge.ts"
import { calibrationTable } from "./calibrationTable.ts"
import { fitJudge, type Sight, sources } from "./fit.ts"
import type { Group } from "./groups.ts"

/** What the judges go by. */
export const sights: Readonly<Record<"byMeaning" | "byWords", Sight>> = {
  byMeaning: {
    features,
    signs: ["strength", "lead", "share", "words", "meaning", "covered", "documents", "fewness", "one"]
  },
  byWords: { features: ["words"], signs: ["lead", "share", "covered", "documents", "fewness", "one"] }
}

/** Shows rows by their names. */
export const print = (rows: ReadonlyArray<readonly [string, object]>) => console.table(Object.fromEntries(rows))

/**
 * Whether a query is from a source, wherever it is asked: stores of a few snippets ask those of mbpp and agent30, too.
 */
const isOf = ({ source, query }: Group, left: string): boolean =>
  source === left ||
  (source === "small" && query.id.startsWith(left === "mbpp" ? "q-mbpp" : left === "agent30" ? "agent-" : "none"))

/** A judge that has seen all sources; with the calibration of that, and of those that have not seen one, on it. */
export const fitted = (groups: ReadonlyArray<Group>, sight: Sight): Judge => {
  const judge = fitJudge(groups, sight)
  const without = new Map(
    sources.map((source) => [
      source,
      fitJudge(
        groups.filter((one) => !isOf(one, source)),
        sight
      )
    ])
  )
  console.log("fitted on all sources, and each source by a judge that has not seen it:")
  print([
    ...calibrationTable(groups, () => judge, "all"),
    ...calibrationTable(groups, ({ source }) => without.get(source) ?? judge, "without it")
  ])
  return judge
}
