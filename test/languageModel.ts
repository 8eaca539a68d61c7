import { Effect } from "effect"
import type { LanguageModel, ModelFailed, ModelTurn, Saying, Talk, ToolCall, Usage } from "#ports/LanguageModel.ts"

export const text = (text: string): Saying => ({ _tag: "Text", text, own: {} })
export const call = (id: string, name: string, input: unknown): ToolCall => ({
  _tag: "ToolCall",
  id,
  name,
  input,
  own: {}
})

export const usage = (inputTokens: number, outputTokens: number, cacheReadTokens = 0, cacheWriteTokens = 0): Usage => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens
})

/** A turn; it waits for its tools when it calls some, unless told. */
export const turn = (says: ReadonlyArray<Saying>, rest: Partial<ModelTurn> = {}): ModelTurn => ({
  model: "scripted-1",
  says,
  end: says.some(({ _tag }) => _tag === "ToolCall") ? "calls" : "done",
  usage: usage(10, 5),
  ...rest
})

export type Script = (talk: Talk) => ModelTurn | Effect.Effect<ModelTurn, ModelFailed>

/** The n-th turn of a talk is the n-th of these, whoever asks for it, and however often. */
export const inOrder =
  (...turns: ReadonlyArray<ReturnType<Script>>): Script =>
  ({ history }) =>
    turns[history.length] ?? Effect.die(`the script has no turn ${history.length + 1}`)

/** A model that says what a script has, and what it was told, oldest first. */
export const scriptedModel = (script: Script) => {
  const told: Array<Talk> = []
  const model: LanguageModel["Service"] = {
    choices: { named: [], others: true, locally: [] },
    canBeAsked: false,
    ask: () => Effect.die("not asked for"),
    next: (talk) =>
      Effect.suspend(() => {
        told.push(talk)
        const said = script(talk)
        return Effect.isEffect(said) ? said : Effect.succeed(said)
      })
  }
  return { model, told }
}
