import { html, type Node } from "../html.ts"
import { Confirm } from "../parts/Confirm.ts"
import { Text } from "../parts/Text.ts"
import { go, href } from "../router.ts"
import { session } from "../session.ts"

/** Erases a workspace, once it has been said what goes with it. */
export const Erase = ({ id, name }: { readonly id: string; readonly name: string }): Node => html`
  <${Confirm} label="Erase…" title="Erase this workspace?" action="Erase it" needs="workspaces.eraseWorkspace"
    does=${async () => {
      await session.value!.cairn.workspaces.delete(id)
      go(href("workspaces"), true)
    }}>
    <p class="path"><${Text} of=${name} /></p>
    <p>Its files, all of their history and what was said in its chats are erased for good, and a chat that goes on in it is stopped. That it was there stays in the log, without a word of it. The next chat of the same pair begins in an empty one.</p>
  <//>`
