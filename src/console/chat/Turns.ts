import type { TakenTurn, ToolCall, ToolResult } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Folded } from "../parts/Folded.ts"
import { number } from "../parts/figures.ts"
import { Long } from "../parts/Long.ts"
import { Text } from "../parts/Text.ts"
import { costIn, lasted } from "./figures.ts"
import type { Turn } from "./follow.ts"

/** The beginning of a text, for a line that is shown in its place. */
export const firstLineOf = (text: string): string => text.slice(0, 1_000).split("\n")[0]!.slice(0, 120)

/** The first argument of a tool, for that line. */
export const hintOf = ({ input }: Pick<ToolCall, "input">): string => {
  if (typeof input !== "object" || input === null) return ""
  const [first] = Object.values(input)
  return typeof first === "string" ? firstLineOf(first) : ""
}

/** A tool's arguments, as they are shown. */
export const inputOf = ({ input }: Pick<ToolCall, "input">): string => JSON.stringify(input, null, 2) ?? "null"

const Call = ({ call, result }: { readonly call: ToolCall; readonly result: ToolResult | undefined }): Node => {
  const state = result === undefined ? "running" : result.isError ? "failed" : "done"
  const summary = html`<span class=${`status ${result === undefined ? "" : result.isError ? "failed" : "completed"}`}>${state}</span>
    <b><${Text} of=${call.name} /></b> <span class="path quiet"><${Text} of=${hintOf(call)} /></span>`
  return html`<li><${Folded} summary=${summary}>${() => html`<dl><dt>Input</dt><dd><${Long} of=${inputOf(call)} label=${`Input of ${call.name}`} /></dd>
      ${result !== undefined && html`<dt>Output</dt><dd><${Long} of=${result.content} label=${`Output of ${call.name}`} /></dd>`}</dl>`}<//></li>`
}

/** What a turn took, in a few words. */
const Took = ({ of: { usage }, known }: { readonly of: Turn; readonly known: TakenTurn | undefined }): Node | null => {
  const tokens = usage !== undefined && usage.inputTokens + usage.outputTokens > 0
  const parts = [
    ...(tokens ? [`${number(usage.inputTokens)} tokens read, ${number(usage.outputTokens)} written`] : []),
    ...(known === undefined ? [] : [lasted(known.begunAt, known.toolsEndedAt ?? known.answeredAt), costIn(known.cost)])
  ]
  return parts.length === 0 ? null : html` <small>${parts.join(" · ")}</small>`
}

/** What the model said turn by turn, and what its tools did. `facts`: what else is known of the turns. */
export const Turns = ({
  of,
  facts = []
}: {
  readonly of: ReadonlyArray<Turn>
  readonly facts?: ReadonlyArray<TakenTurn>
}): Node => html`
  <ol class="turns">${of.map((one) => {
    const { turn, text, calls, results } = one
    return html`<li key=${turn}>
      <h2>Turn ${turn}<${Took} of=${one} known=${facts.find((known) => known.turn === turn)} /></h2>
      ${text !== "" && html`<p class="said"><${Long} of=${text} /></p>`}
      ${
        calls.length > 0 &&
        html`<ul class="rows calls">${calls.map(
          (call) =>
            html`<${Call} key=${call.id} call=${call} result=${results.find(({ toolCallId }) => toolCallId === call.id)} />`
        )}</ul>`
      }
    </li>`
  })}</ol>`
