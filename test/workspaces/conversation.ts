import { Effect } from "effect"
import { z } from "zod"
import {
  type Exchange,
  LanguageModel,
  type ModelChoice,
  type ModelTurn,
  type ToolResult
} from "#ports/LanguageModel.ts"
import type { Compaction } from "#src/workspaces/compact.ts"
import { type Conversation, type ConversationStopped, converse } from "#src/workspaces/loop.ts"
import { define, type Tool } from "#src/workspaces/tools/tool.ts"
import { type Script, scriptedModel } from "#test/languageModel.ts"

/** What a run would record, in order, and the exchanges that it could resume from. */
export interface KeptSteps {
  readonly steps: Array<string>
  exchanges: ReadonlyArray<Exchange>
  readonly compactions: Array<Compaction>
}

export const keepingSteps = (): KeptSteps => ({ steps: [], exchanges: [], compactions: [] })

/** A tool that answers with its input, and writes down when it starts and ends. */
export const echo = (name: string, steps: Array<string>, work: Effect.Effect<void> = Effect.void): Tool => {
  const tool = define({
    name,
    description: `Echoes (${name})`,
    schema: z.object({ text: z.string() }),
    run: ({ text }) =>
      Effect.gen(function* () {
        steps.push(`${name} ${text} starts`)
        yield* Effect.yieldNow
        yield* work
        steps.push(`${name} ${text} ends`)
        return `echo ${text}`
      })
  })
  const isWrong = (input: unknown) => (input as { readonly text: unknown }).text === "wrong"
  return {
    ...tool,
    run: (input) => Effect.map(tool.run(input), (result) => (isWrong(input) ? { ...result, isError: true } : result))
  }
}

type Changes = Partial<Conversation> & { readonly stopBefore?: Effect.Effect<void, ConversationStopped> }

/** A conversation whose hooks keep what they are given in `keepingSteps`, as a run's events would. */
export const conversation = (kept: KeptSteps, changes: Changes = {}): Conversation => {
  const { stopBefore = Effect.void, ...rest } = changes
  kept.exchanges = rest.history ?? []
  return {
    model: "sonnet",
    system: "You are an agent.",
    prompt: "Do it.",
    tools: [echo("Echo", kept.steps)],
    maxTurns: 8,
    hearing: () => () => {},
    history: [],
    compaction: undefined,
    beforeTurn: (turn) =>
      Effect.andThen(
        stopBefore,
        Effect.sync(() => void kept.steps.push(`before ${turn}`))
      ),
    onTurn: (turn: number, said: ModelTurn) =>
      Effect.sync(() => {
        kept.steps.push(`turn ${turn}`)
        kept.exchanges = [...kept.exchanges, { turn: said, results: undefined }]
        return said
      }),
    onTools: (turn: number, results: ReadonlyArray<ToolResult>) =>
      Effect.sync(() => {
        kept.steps.push(`tools ${turn}`)
        kept.exchanges = kept.exchanges.map((exchange, index) =>
          index === turn - 1 ? { ...exchange, results } : exchange
        )
        return results
      }),
    onCompaction: (made) =>
      Effect.sync(() => {
        kept.steps.push(`compaction ${made.turn}`)
        kept.compactions.push(made)
        return made
      }),
    ...rest
  }
}

/**
 * A model that says `script`, and what comes of a conversation with it: its end, and what was recorded and said until
 * then.
 */
export const given = (script: Script, kept: KeptSteps = keepingSteps(), named: ReadonlyArray<ModelChoice> = []) => {
  const { model: scripted, told } = scriptedModel(script)
  const model = { ...scripted, choices: { named, others: true, locally: [] } }
  return {
    kept,
    told,
    when: (changes: Changes = {}) =>
      Effect.suspend(() => converse(conversation(kept, changes))).pipe(Effect.provideService(LanguageModel, model))
  }
}

/** Every point at which a process could have ended: before anything, after each turn, after each round of tools. */
export const resumePoints = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<ReadonlyArray<Exchange>> => [
  [],
  ...exchanges.flatMap((exchange, index) => {
    const before = exchanges.slice(0, index)
    const asked = [...before, { turn: exchange.turn, results: undefined }]
    return exchange.results === undefined ? [asked] : [asked, [...before, exchange]]
  })
]
