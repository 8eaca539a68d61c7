import type { ExecutionRecord } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Renewed } from "../live/Renewed.ts"
import { useLoaded } from "../loading.ts"
import { Folded } from "../parts/Folded.ts"
import { Long } from "../parts/Long.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { concerns } from "./concerns.ts"

const most = 20

const json = (value: unknown): string => JSON.stringify(value, null, 2) ?? "null"

const Execution = ({ of }: { readonly of: ExecutionRecord }): Node => {
  const summary = html`<span class=${`status ${of.executionState}`}>${of.executionState.replace(/_/g, " ")}</span>
    <span class="path"><${Text} of=${of.triggeringTask} /></span>
    <span class="quiet">${of.durationMs !== null && `${of.durationMs.toLocaleString("en")} ms · `}<${Time} at=${of.timestamp} /></span>`
  return html`<li><${Folded} summary=${summary}>${() => html`<dl><dt>Input</dt><dd><${Long} of=${json(of.io.inputData)} label="Input" /></dd>
      <dt>Output</dt><dd><${Long} of=${json(of.io.outputData)} label="Output" /></dd>
      ${of.errorMessage && html`<dt>Error</dt><dd><${Long} of=${of.errorMessage} label="Error" /></dd>`}</dl>`}<//></li>`
}

/** A snippet's executions that agents have recorded. */
export const Executions = ({ id }: { readonly id: string }): Node => {
  const loaded = useLoaded(id, ({ cairn }, signal) =>
    cairn.executions.list({ codeBlockId: id, limit: most }, { signal })
  )
  return html`<section class="executions"><header class="heads"><h2>Runs</h2>
      <${Renewed} by=${concerns(id, "ExecutionRecorded")} list=${{ first: loaded }} /></header>
    ${whenThere(
      loaded,
      ({ executions, totalFound }) =>
        executions.length === 0
          ? html`<p class="note">No agent has reported a run.</p>`
          : html`<ul class="rows">${executions.map((one) => html`<${Execution} key=${one.id} of=${one} />`)}</ul>
            ${totalFound > executions.length && html`<p class="note">The latest ${executions.length} of ${totalFound.toLocaleString("en")}.</p>`}`,
      2
    )}</section>`
}
