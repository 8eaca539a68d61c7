import { Effect } from "effect"
import { leastTaken } from "#domain/search/offered.ts"
import type { ContentBlock, Conversation, Exchange, ModelTurn, ToolResult } from "#ports/LanguageModel.ts"
import { converse, type Speaker } from "./conversation.ts"

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
/** What can be done where no snippet does the task: it depends on whether there is a language model to ask. */
const advice = (configured: boolean): string =>
  configured
    ? `This chat asked for the model \`local\`, which is no language model: with it ${own} Or ask for another model, such as \`sonnet\`.`
    : `No language model is configured: set ANTHROPIC_API_KEY (and ANTHROPIC_BASE_URL for a compatible server) and ask for a model other than \`local\`. Without one, ${own}`

interface Match {
  readonly name: string
  readonly score: number
  readonly language: string
  readonly filename: string
  /** `null`: it is too large to be shown. */
  readonly source: string | null
}

/** What it works with: languages that the shell runs, and whether a language model could be asked instead. */
interface Surroundings {
  readonly languages: ReadonlyArray<string>
  readonly configured: boolean
}

/**
 * An agent without a language model, which works through the same tools as one: it searches the caller's snippets for
 * the task, writes a match of at least `leastTaken` into the workspace, runs it when the shell knows its language, and answers
 * with its output. Where it can't, it declines and says how to configure a model.
 */
export const converseLocally = (conversation: Conversation, { languages, configured }: Surroundings) =>
  converse(conversation, (exchanges) => openSpeaker(conversation, { languages, configured }, exchanges))

const openSpeaker = (
  conversation: Conversation,
  surroundings: Surroundings,
  history: ReadonlyArray<Exchange>
): Speaker => {
  let exchanges = history
  return {
    ask: Effect.sync(() => {
      const turn = nextTurn(conversation.prompt, surroundings, exchanges)
      exchanges = [...exchanges, { turn, results: undefined }]
      return turn
    }),
    runTools: Effect.suspend(() => {
      const { turn } = exchanges.at(-1)!
      const calls = turn.content.filter(({ type }) => type === "tool_use")
      return Effect.map(
        Effect.forEach(calls, (call) => runTool(conversation, call)),
        (results) => {
          exchanges = [...exchanges.slice(0, -1), { turn, results }]
          return results
        }
      )
    })
  }
}

const runTool = ({ tools }: Conversation, { id, name, input }: ContentBlock): Effect.Effect<ToolResult> => {
  const toolUseId = String(id)
  const tool = tools.find((tool) => tool.name === name)
  if (tool === undefined)
    return Effect.succeed({ toolUseId, content: `Error: Tool '${name}' not found`, isError: true })
  return Effect.map(tool.run(input), (result) => ({ toolUseId, ...result }))
}

const nextTurn = (
  task: string,
  { languages, configured }: Surroundings,
  exchanges: ReadonlyArray<Exchange>
): ModelTurn => {
  const [searched, written] = exchanges
  if (searched === undefined) return uses("Looking for a snippet.", use(1, "SearchSnippets", { task, top_k: 1 }))
  const match = bestMatch(searched.results?.[0])
  if (match === undefined || match.source === null || match.score < leastTaken)
    return says(advice(configured), "refusal")
  if (written === undefined) {
    const { name, filename, source, language } = match
    const interpreter = languages.includes(language) ? interpreters[language] : undefined
    const put = use(2, "Write", { file_path: filename, content: source })
    if (interpreter === undefined) return uses(`Taking the snippet ${name}.`, put)
    return uses(`Taking the snippet ${name}.`, put, use(3, "Bash", { command: `${interpreter} ${quoted(filename)}` }))
  }
  return concluded(match, written.results ?? [])
}

const concluded = ({ name, filename, language }: Match, [put, ran]: ReadonlyArray<ToolResult>): ModelTurn => {
  if (put?.isError !== false) return says(`The snippet ${name} could not be written: ${put?.content ?? ""}`, "refusal")
  if (ran === undefined) return says(`Wrote the snippet ${name} to ${filename}. The sandbox can't run ${language}.`)
  if (ran.isError) return says(`The snippet ${name}, written to ${filename}, failed:\n\n${ran.content}`, "refusal")
  return says(ran.content)
}

const bestMatch = (result: ToolResult | undefined): Match | undefined => {
  if (result === undefined || result.isError) return undefined
  const { matches } = JSON.parse(result.content) as { readonly matches: ReadonlyArray<Match> }
  return matches[0]
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`

const usage = { inputTokens: 0, outputTokens: 0 }

const use = (index: number, name: string, input: object): ContentBlock => ({
  type: "tool_use",
  id: `toolu_local_${index}`,
  name,
  input
})

const says = (text: string, stopReason = "end_turn"): ModelTurn => ({
  model: "local",
  content: [{ type: "text", text }],
  stopReason,
  usage
})

const uses = (text: string, ...calls: ReadonlyArray<ContentBlock>): ModelTurn => ({
  model: "local",
  content: [{ type: "text", text }, ...calls],
  stopReason: "tool_use",
  usage
})
