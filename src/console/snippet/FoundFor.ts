import type { Retrieval } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { More } from "../parts/More.ts"
import { usePages } from "../parts/pages.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href } from "../router.ts"
import { may } from "../session.ts"

const votesOf = ({ thumbsUp, thumbsDown }: Retrieval): string =>
  thumbsUp + thumbsDown === 0 ? "no vote" : `+${thumbsUp} −${thumbsDown}`

const Row = ({ of }: { readonly of: Retrieval }): Node => html`
  <tr><td class="path">${of.task === null ? html`<em class="quiet">erased</em>` : html`<${Text} of=${of.task} />`}</td>
    <td>${of.found.toLocaleString("en")}</td>
    <td>${votesOf(of)}</td>
    <td><a class="quiet" href=${href("event", { position: of.position })}><${Time} at=${of.retrievedAt} /></a></td></tr>`

/** The searches that found a snippet, and whether the searcher then voted, for readers who may see others' searches. */
export const FoundFor = ({ id }: { readonly id: string }): Node | null => {
  const isRead = may("snippets.retrievals")
  const list = usePages<Retrieval>(isRead ? id : undefined, async ({ cairn }, cursor, signal) => {
    const { retrievals, nextCursor } = await cairn.snippets.retrievals(id, { cursor }, { signal })
    return { rows: retrievals, next: nextCursor }
  })
  const { first, rows } = list
  if (!isRead) return null
  return html`<section class="found-for"><h2>Tasks it was found for</h2>${whenThere(
    first,
    () =>
      rows.length === 0
        ? html`<p class="note">No search of your organization has found this snippet, or those searches are gone.</p>`
        : html`<div class="scrolled" tabindex="0" role="region" aria-label="Tasks it was found for"><table>
            <thead><tr><th>Task</th><th>Found</th><th>Then voted</th><th>When</th></tr></thead>
            <tbody>${rows.map((one) => html`<${Row} key=${one.position} of=${one} />`)}</tbody></table></div>
          <p class="note">Searches of one day that found the same snippets are listed once, under the first task.</p>
          <${More} of=${list} />`,
    2
  )}</section>`
}
