import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { Effect, Layer } from "effect"
import type { Judge } from "#domain/search/Judge.ts"
import { asked as askedFor } from "#domain/search/query.ts"
import { byMeaning, byWords } from "#domain/search/ranker.ts"
import { layer } from "#infra/search/memory/layer.ts"
import { readEmbeddings } from "#src/config/embeddings.ts"
import { embeddings } from "#test/embeddings.ts"
import { fitModel, modelLayer } from "./byModel.ts"
import { calibrationTable, worst } from "./calibrationTable.ts"
import { fitJudge, sources } from "./fit.ts"
import { fitted, print, sights } from "./fitted.ts"
import { groupsOf, illiterate, putOn } from "./groups.ts"
import { makeLanguageSets } from "./languages.ts"
import { both, first, type Measured, measured } from "./quality.ts"
import { makeSets } from "./sets.ts"
import { unlike } from "./unlike.ts"
import { usedFor, usedTable } from "./use.ts"

// `npm run eval`: what search finds on the development sets, beside other engines, and how far its scores can be
// believed.
//   --check     ends with 1 where a set's nDCG@10 is more than .01 below that of figures.json, scores say too much, or
//               the committed judges are not what --fit gives
//   --accept    writes figures.json
//   --use       what a month of votes for tasks changes, also with a fifth of them wrong
//   --fit       fits both judges anew, tries them on each source without it, and writes domain/search/ranker.ts; with
//               CAIRN_EMBEDDINGS_… (docs/embeddings.md) weights for that model, into .cache/eval/weights.json

const wants = (flag: string) => process.argv.includes(`--${flag}`)

const figures = new URL("figures.json", import.meta.url)
const ranker = new URL("../../domain/search/ranker.ts", import.meta.url)
const folder = new URL("../../.cache/eval/", import.meta.url)
/** How far nDCG@10 may fall. */
const fall = 0.01

const written = (judges: { readonly byMeaning: Judge; readonly byWords: Judge }) =>
  `import type { Judge } from "./Judge.ts"

// Written by \`npm run eval -- --fit\`.

/** Of tasks whose meaning could be read. */
export const byMeaning: Judge = ${JSON.stringify(judges.byMeaning, undefined, 2)}

/** Of tasks of which nothing could be read. */
export const byWords: Judge = ${JSON.stringify(judges.byWords, undefined, 2)}
`.replace(/"([a-zA-Z]+)":/g, "$1:")

const percent = (value: number) => value.toFixed(4)

const qualityTable = (all: ReadonlyArray<Measured>) =>
  all.map(
    ({ set, engine, quality: { mrr, recall, ndcg } }) =>
      [`${set}: ${engine}`, { "MRR@10": percent(mrr), "R@10": percent(recall), "nDCG@10": percent(ndcg) }] as const
  )

/** Queries for which the second stage is worse than the first, into a file; of each set the worst are said. */
const losses = (all: ReadonlyArray<Measured>) => {
  const lines: Array<string> = []
  const rows: Array<readonly [string, object]> = []
  for (const { set, engine, byQuery } of all) {
    if (engine !== both) continue
    const before = all.find((other) => other.set === set && other.engine === first)!.byQuery
    const changes = byQuery.map(({ text, ndcg }, at) => ({ text, ndcg, change: ndcg - before[at]!.ndcg }))
    const lost = changes.filter(({ change }) => change < 0).sort((one, other) => one.change - other.change)
    for (const { text, ndcg, change } of lost) lines.push([set, change.toFixed(3), ndcg.toFixed(3), text].join("\t"))
    const better = changes.filter(({ change }) => change > 0).length
    const missed = changes.filter(({ ndcg }) => ndcg === 0).length
    rows.push([set, { better, worse: lost.length, "not among ten": missed, worst: lost[0]?.text.slice(0, 60) ?? "" }])
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL("losses.tsv", folder), `set\tchange\tnDCG@10\ttask\n${lines.join("\n")}\n`)
  console.log("what the second stage changes, by query (.cache/eval/losses.tsv has all losses):")
  print(rows)
}

type Figures = Readonly<Record<string, number>>

/** What is found for tasks of which nothing can be read. */
const unreadOf = (sets: ReturnType<typeof makeSets>["sets"]) =>
  groupsOf(
    sets.filter(({ source }) => source !== "held"),
    (task) => askedFor(task, illiterate)
  )

const program = Effect.gen(function* () {
  const settings = readEmbeddings((name) => process.env[name]?.trim() || undefined)
  const { shelves: own, sets } = makeSets()
  const languages = makeLanguageSets()
  const shelves = [...own, ...languages.shelves]
  yield* putOn(shelves)
  if (wants("use")) {
    const named = (name: string) => sets.find((set) => set.name === name)!
    for (const name of ["mbpp", "mbpp among 12,898", "agent30", "agent30 among 11,918"]) {
      const other = name.startsWith("mbpp") ? "agent30" : "mbpp"
      print(usedTable(yield* usedFor(named(name), named(other).queries, other)))
    }
    return 0
  }
  const groups = yield* groupsOf(sets)
  if (wants("fit") && settings !== undefined) {
    const weights = yield* Effect.provide(fitModel(settings, own, sets, groups), modelLayer(settings))
    mkdirSync(folder, { recursive: true })
    writeFileSync(new URL("weights.json", folder), `${JSON.stringify(weights, undefined, 2)}\n`)
    console.log(".cache/eval/weights.json is written: name it by CAIRN_EMBEDDINGS_WEIGHTS")
    return 0
  }
  if (wants("fit")) {
    const unread = yield* unreadOf(sets)
    const judges = { byMeaning: fitted(groups, sights.byMeaning), byWords: fitted(unread, sights.byWords) }
    writeFileSync(ranker, written(judges))
    console.log("domain/search/ranker.ts is written: run `node_modules/.bin/biome check --write domain`, and --accept")
    return 0
  }
  const all: Array<Measured> = []
  for (const set of [...sets.filter(({ source }) => sources.includes(source)), ...languages.sets])
    all.push(...(yield* measured(set, shelves, wants("check"))))
  print(qualityTable(all))
  if (!wants("check")) losses(all)
  console.log("scores: how far they can be believed, of best matches and of all ten")
  print(calibrationTable(groups, () => byMeaning))
  const now: Figures = Object.fromEntries(
    all.filter(({ engine }) => engine === both).map(({ set, quality }) => [set, Number(quality.ndcg.toFixed(4))])
  )
  if (wants("accept")) writeFileSync(figures, `${JSON.stringify(now, undefined, 2)}\n`)
  if (!wants("check")) return 0
  const committed: Figures = JSON.parse(readFileSync(figures, "utf8"))
  const fallen = Object.entries(committed).filter(([set, ndcg]) => !((now[set] ?? 0) >= ndcg - fall))
  for (const [set, ndcg] of fallen) console.error(`${set}: nDCG@10 was ${ndcg}, and is ${now[set]}`)
  const faults = worst(groups, () => byMeaning)
  for (const fault of faults) console.error(fault)
  const others = [
    ...unlike("byMeaning", byMeaning, fitJudge(groups, sights.byMeaning)),
    ...unlike("byWords", byWords, fitJudge(yield* unreadOf(sets), sights.byWords))
  ]
  for (const other of others) console.error(other)
  return fallen.length + faults.length + others.length === 0 ? 0 : 1
})

process.exitCode = await Effect.runPromise(Effect.provide(program, Layer.provideMerge(layer, embeddings)))
