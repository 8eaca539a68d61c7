import { Effect } from "effect"
import { leastTaken } from "#domain/search/offered.ts"
import type { ModelTurn, Talk, ToolCall, ToolResult, TurnEnd } from "#ports/LanguageModel.ts"
import { noTokens } from "./answer.ts"

/** How a shell runs a file of a language. */
const interpreters: { readonly [language: string]: string } = {
  bash: "bash",
  shell: "bash",
  sh: "sh",
  python: "python3",
  javascript: "node",
  ruby: "ruby"
}

const own = "a task is done with the snippets of your own scope, and none of them does this one: upload one that does."
/** What a caller who asked for a model can do when no snippet does the task. */
const advice = (configured: boolean, model: string): string => {
  if (configured)
    return `This chat asked for the model \`local\`, which is no language model: with it ${own} Or ask for another model, such as \`sonnet\`.`
  const [so, then] =
    model === "local"
      ? ["", " and ask for a model other than `local`"]
      : [`, so \`local\` answers for \`${model}\``, ""]
  return `No language model is configured${so}: set ANTHROPIC_API_KEY (and ANTHROPIC_BASE_URL for a compatible server)${then}. Without one, ${own}`
}

interface Match {
  readonly name: string
  readonly score: number
  readonly language: string
  readonly filename: string
  /** `null`: it is too large to be shown. */
  readonly source: string | null
}

/** What the agent works with: languages that the shell runs, and whether a language model could be asked instead. */
interface Surroundings {
  readonly languages: ReadonlyArray<string>
  readonly configured: boolean
}

/**
 * An agent without a language model, which works through the same tools as one. It searches the caller's snippets for
 * the task, writes a match of at least `leastTaken` into the workspace, runs it when the shell knows its language, and
 * answers with its output. Without a match, it declines and says how to ask a model; if the search fails, it says why.
 */
export const nextLocally =
  ({ languages, configured }: Surroundings) =>
  ({ model, prompt: task, history }: Talk): Effect.Effect<ModelTurn> =>
    Effect.sync(() => {
      const [searched, written] = history
      if (searched === undefined) return calls("Looking for a snippet.", call(1, "SearchSnippets", { task, top_k: 1 }))
      const result = searched.results?.[0]
      // after a failed search, nobody knows what the store has, and another model would not help
      if (result?.isError === true) return says(result.content, "declined")
      const match = result === undefined ? undefined : bestMatch(result.content)
      if (match === "unreadable") return says("What the search for snippets found can't be read.", "declined")
      if (match === undefined || match.score < leastTaken) return says(advice(configured, model), "declined")
      if (match.source === null) return says(`The snippet ${match.name} is too large for this chat.`, "declined")
      const { name, filename, source, language } = match
      if (written !== undefined) return concluded(match, written.results ?? [])
      const interpreter = languages.includes(language) ? interpreters[language] : undefined
      const put = call(2, "Write", { file_path: filename, content: source })
      if (interpreter === undefined) return calls(`Taking the snippet ${name}.`, put)
      const run = call(3, "Bash", { command: `${interpreter} ${quoted(filename)}` })
      return calls(`Taking the snippet ${name}.`, put, run)
    })

const concluded = ({ name, filename, language }: Match, [put, ran]: ReadonlyArray<ToolResult>): ModelTurn => {
  if (put?.isError !== false) return says(`The snippet ${name} could not be written: ${put?.content ?? ""}`, "declined")
  if (ran === undefined) return says(`Wrote the snippet ${name} to ${filename}. The sandbox can't run ${language}.`)
  if (ran.isError) return says(`The snippet ${name}, written to ${filename}, failed:\n\n${ran.content}`, "declined")
  return says(ran.content)
}

/** The first match in a search's answer, which may be of a run of old, when one that was too long was cut off. */
const bestMatch = (answer: string): Match | "unreadable" | undefined => {
  try {
    const { matches } = JSON.parse(answer) as { readonly matches: ReadonlyArray<Match> }
    return matches[0]
  } catch {
    return "unreadable"
  }
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`

const call = (index: number, name: string, input: object): ToolCall => ({
  _tag: "ToolCall",
  id: `toolu_local_${index}`,
  name,
  input,
  own: {}
})

const says = (text: string, end: TurnEnd = "done", ...called: ReadonlyArray<ToolCall>): ModelTurn => ({
  model: "local",
  says: [{ _tag: "Text", text, own: {} }, ...called],
  end,
  usage: noTokens
})

const calls = (text: string, ...called: ReadonlyArray<ToolCall>): ModelTurn => says(text, "calls", ...called)
