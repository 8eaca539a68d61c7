import { lasted, tokensIn, toolsIn } from "../chat/figures.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Long } from "../parts/Long.ts"
import { whenThere } from "../parts/States.ts"
import { href } from "../router.ts"

/** The chat that made a commit: what it took, and its task, if the commit's title does not have all of it. */
export const ByChat = ({ run, title }: { readonly run: string; readonly title: string }): Node => {
  const loaded = useLoaded(run, ({ cairn }, signal) => cairn.runs.get(run, { signal }))
  return html`<section class="by-chat" aria-label="The chat that made this commit">${whenThere(
    loaded,
    ({ task, turns, tools, usage, requestedAt, endedAt }) => html`
      ${task.trim() !== title && html`<p class="description"><${Long} of=${task} /></p>`}
      <dl class="facts-line">
        <div><dt>Chat</dt><dd><a href=${href("run", { id: run })}>${turns === 1 ? "1 turn" : `${turns.toLocaleString("en")} turns`}</a></dd></div>
        <div><dt>Tools</dt><dd>${toolsIn(tools)}</dd></div>
        <div><dt>Tokens</dt><dd>${tokensIn(usage)}</dd></div>
        ${endedAt !== null && html`<div><dt>Took</dt><dd>${lasted(requestedAt, endedAt)}</dd></div>`}
      </dl>`,
    2
  )}</section>`
}
