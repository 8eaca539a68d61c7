import type { HeldInFull } from "#projections/Functions/queries.ts"
import type { Reputation } from "#projections/Functions/reputation.ts"
import type { KeptRun } from "#projections/Functions/runs.ts"
import { counted } from "#src/counted.ts"

const snippetsShown = 50
const runsShown = 10
const errorsShown = 5
/** The most characters of a text. */
const longest = 300

/**
 * Any text as Markdown code: on one line, without invisible characters, between more backticks than it has in a row. So
 * nothing in it is read as Markdown or HTML.
 */
export const code = (text: string): string => {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, longest)
    .toWellFormed()
  if (line === "") return "–"
  const ticks = "`".repeat(1 + Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length)))
  const padding = line.startsWith("`") || line.endsWith("`") ? " " : ""
  return `${ticks}${padding}${line}${padding}${ticks}`
}

const at = (time: Date | string | null): string => (time === null ? "never" : new Date(time).toISOString())

const percent = (share: number) => `${Math.round(share * 1000) / 10} %`
const link = (fingerprint: string) => `[${code(fingerprint)}](/api/functions/${fingerprint}.md)`

const section = (title: string, lines: ReadonlyArray<string>, none: string) => [
  "",
  `## ${title}`,
  "",
  ...(lines.length > 0 ? lines : [none])
]

const facts = ({ calls, ...reputation }: Reputation): ReadonlyArray<string> => [
  `- Fingerprint: ${code(reputation.fingerprint)}`,
  `- Votes: +${reputation.up} −${reputation.down}, ${reputation.reviewed ? "some of them by people" : "none by a person"}`,
  `- Runs: ${reputation.executions}; last success: ${at(reputation.succeededAt)}; last failure: ${at(reputation.failedAt)}`,
  calls === 0
    ? "- Logged calls: none"
    : `- Logged calls: ${calls}; average output size: ${Math.round(reputation.averageSize * 100) / 100}; with output: ${percent(reputation.completeness)}; repeated within a run: ${percent(reputation.repeatRate)}`,
  ...(reputation.agent === null ? [] : [`- Written by the agent ${code(reputation.agent)}`])
]

const runLine = (snippet: string, fingerprint: string, { at: time, succeeded, calls, errors }: KeptRun): string => {
  const called = calls[fingerprint]
  const mine = errors.filter(({ functions }) => functions.length === 0 || functions.includes(fingerprint))
  return [
    `- ${at(time)} ${succeeded ? "succeeded" : "failed"} in ${code(snippet)}`,
    ...(called === undefined ? [] : [counted(called, "call")]),
    ...mine.map(({ type, message }) => code(message === "" ? type : `${type}: ${message}`))
  ].join(" · ")
}

/** A function's history as Markdown. It names only the snippets that are `seen` in `held`, in the order of `held`. */
export const functionPage = (
  reputation: Reputation,
  held: ReadonlyArray<HeldInFull>,
  lineage: ReadonlyArray<string>
): string => {
  const { fingerprint } = reputation
  const seen = held.filter((one) => one.seen)
  const holders = seen.map(
    ({ snippet, snippet_name, found_at, up, down, executions }) =>
      `- ${code(snippet_name)} (${code(snippet)}): since ${at(found_at)} · +${up} −${down} · ${counted(executions, "run")}`
  )
  const runs = seen
    .flatMap(({ own, snippet_name, recent }) => (own ? (recent ?? []).map((run) => ({ snippet_name, run })) : []))
    .sort((a, b) => (a.run.at < b.run.at ? 1 : a.run.at > b.run.at ? -1 : 0))
  const errors = reputation.errors.map(({ text, count }) => `- ${code(text)} ×${count}`)
  const left = holders.length - snippetsShown
  return [
    `# Function ${code(reputation.name)}`,
    "",
    code(reputation.signature),
    "",
    ...facts(reputation),
    ...section("Common errors", errors.slice(0, errorsShown), "None."),
    ...section("Snippets that hold it", holders.slice(0, snippetsShown), "None."),
    ...(left > 0 ? [`- and ${left} more`] : []),
    ...section(
      "Latest runs",
      runs.slice(0, runsShown).map(({ snippet_name, run }) => runLine(snippet_name, fingerprint, run)),
      "None that you may see."
    ),
    ...section(
      "Derived from",
      lineage.map((before, index) => `${index + 1}. ${link(before)}`),
      "Nothing that is known: it is the first of its name here."
    ),
    ""
  ].join("\n")
}
