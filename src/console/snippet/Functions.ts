import type { FunctionReputation } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"

const Row = ({ of }: { readonly of: FunctionReputation }): Node => html`
  <tr><td class="path"><code><${Text} of=${of.signature || of.functionName} /></code>
      ${of.commonErrors.map((error) => html`<p class="quiet" key=${error}><${Text} of=${error} /></p>`)}</td>
    <td>+${of.thumbsUp} −${of.thumbsDown}</td>
    <td>${of.executionCount.toLocaleString("en")}</td>
    <td>${of.totalLoggedCalls.toLocaleString("en")}</td>
    <td>${of.lastFailureAt === null ? "never" : html`<${Time} at=${of.lastFailureAt} />`}</td></tr>`

/** A snippet's functions: what is known of each, and its most frequent errors. */
export const SnippetFunctions = ({ id }: { readonly id: string }): Node => {
  const loaded = useLoaded(id, ({ cairn }, signal) => cairn.snippets.functions(id, { signal }))
  return html`<section class="functions"><h2>Functions</h2>${whenThere(
    loaded,
    ({ functions }) =>
      functions.length === 0
        ? html`<p class="note">No functions are tracked: this snippet was stored without their reputation.</p>`
        : html`<div class="scrolled" tabindex="0" role="region" aria-label="Functions"><table>
            <thead><tr><th>Function</th><th>Votes</th><th>Runs</th><th>Logged calls</th><th>Last failed</th></tr></thead>
            <tbody>${functions.map((one) => html`<${Row} key=${one.fingerprint} of=${one} />`)}</tbody></table></div>`,
    2
  )}</section>`
}
