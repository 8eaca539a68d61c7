import { html, type Node } from "../html.ts"
import { Confirm } from "../parts/Confirm.ts"
import { Text } from "../parts/Text.ts"
import { go, href } from "../router.ts"
import { session } from "../session.ts"

/** A button that deletes a snippet, after it has said what goes. */
export const DeleteSnippet = ({ id, name }: { readonly id: string; readonly name: string }): Node => html`
  <${Confirm} label="Delete…" title="Delete this snippet?" action="Delete it" needs="snippets.delete"
    does=${async () => {
      await session.value!.cairn.snippets.delete(id)
      go(href("search"), true)
    }}>
    <p>Its source, tasks, votes, comments and runs are erased for good, and nobody finds it any more. That it was there, and was deleted, stays in the log, without a word of it.</p>
    <p class="path"><${Text} of=${name} /></p>
  <//>`
