import type { Comment } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Renewed } from "../live/Renewed.ts"
import { Long } from "../parts/Long.ts"
import { More } from "../parts/More.ts"
import { usePages } from "../parts/pages.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href } from "../router.ts"
import { may } from "../session.ts"
import { concerns } from "./concerns.ts"

const Row = ({ of }: { readonly of: Comment }): Node => html`
  <li>
    <p class="quiet"><${Text} of=${of.email} />${of.agentId !== null && html`, by the agent <${Text} of=${of.agentId} />`}, <${Time} at=${of.createdAt} /></p>
    <p><${Long} of=${of.text} /></p></li>`

/** Says that comments from elsewhere are not shown here, and where readers of the log see them. */
const Elsewhere = ({ id }: { readonly id: string }): Node | null => {
  if (!may("events.newestEvents")) return null
  const log = href("events", {}, { stream: `snippet-${id}`, type: "CommentAdded" })
  return html`<p class="note">Comments from customers’ workspaces and from other organizations are not shown here: <a href=${log}>see all comments in the log</a>.</p>`
}

/** The comments on a snippet, the newest first. */
export const Comments = ({ id }: { readonly id: string }): Node => {
  const list = usePages<Comment>(id, async ({ cairn }, cursor, signal) => {
    const { comments, nextCursor } = await cairn.snippets.comments(id, { cursor }, { signal })
    return { rows: comments, next: nextCursor }
  })
  const { first, rows } = list
  return html`<section aria-labelledby="comments"><h2 id="comments">Comments</h2>
    <${Renewed} by=${concerns(id, "CommentAdded")} list=${list} />${whenThere(
      first,
      () =>
        html`${
          rows.length === 0
            ? html`<p class="note">No comments yet.</p>`
            : html`<ul class="rows comments">${rows.map((one) => html`<${Row} key=${one.id} of=${one} />`)}</ul>
          <${More} of=${list} label="Show earlier" />`
        }<${Elsewhere} id=${id} />`,
      2
    )}</section>`
}
