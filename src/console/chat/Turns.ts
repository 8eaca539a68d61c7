import type { ToolCall, ToolResult } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Text } from "../parts/Text.ts"
import { plain } from "../visible.ts"
import type { Turn } from "./follow.ts"

/** Characters of what a tool took or gave that are shown. */
const most = 20_000

const cut = (text: string): string =>
  text.length <= most ? text : `${text.slice(0, most)}\n… ${(text.length - most).toLocaleString("en")} more characters`

/** The first thing that a tool was told, for the line that stands for it. */
const hintOf = ({ input }: ToolCall): string => {
  if (typeof input !== "object" || input === null) return ""
  const [first] = Object.values(input)
  return typeof first === "string" ? first.split("\n")[0]!.slice(0, 120) : ""
}

const Call = ({ call, result }: { readonly call: ToolCall; readonly result: ToolResult | undefined }): Node => html`
  <li><details><summary>
      <span class=${`status ${result === undefined ? "" : result.isError ? "failed" : "completed"}`}>${result === undefined ? "running" : result.isError ? "failed" : "done"}</span>
      <b><${Text} of=${call.name} /></b> <span class="path quiet"><${Text} of=${hintOf(call)} /></span></summary>
    <dl><dt>Input</dt><dd><pre tabindex="0" role="region" aria-label=${`Input of ${plain(call.name)}`}><${Text} of=${cut(JSON.stringify(call.input, null, 2) ?? "null")} lines /></pre></dd>
      ${result !== undefined && html`<dt>Output</dt><dd><pre tabindex="0" role="region" aria-label=${`Output of ${plain(call.name)}`}><${Text} of=${cut(result.content)} lines /></pre></dd>`}</dl>
  </details></li>`

/** What the model said turn by turn, and what its tools did. */
export const Turns = ({ of }: { readonly of: ReadonlyArray<Turn> }): Node => html`
  <ol class="turns">${of.map(
    ({ turn, text, calls, results, usage }) => html`<li key=${turn}>
      <h2>Turn ${turn}${usage !== undefined && usage.inputTokens + usage.outputTokens > 0 && html` <small>${usage.inputTokens.toLocaleString("en")} tokens read, ${usage.outputTokens.toLocaleString("en")} written</small>`}</h2>
      ${text !== "" && html`<p class="said"><${Text} of=${text} lines /></p>`}
      ${
        calls.length > 0 &&
        html`<ul class="rows calls">${calls.map(
          (call) =>
            html`<${Call} key=${call.id} call=${call} result=${results.find(({ toolCallId }) => toolCallId === call.id)} />`
        )}</ul>`
      }
    </li>`
  )}</ol>`
