import { html, type Node } from "../html.ts"
import { go, href } from "../router.ts"
import { session } from "../session.ts"
import { Confirm } from "./Confirm.ts"
import { Text } from "./Text.ts"

/** What has a page and can be erased: how that is called, what goes with it, and where its reader is led then. */
const kinds = {
  snippet: {
    does: "Delete",
    needs: "snippets.delete",
    goes: "Its source, tasks, votes, comments and runs are erased for good, and nobody finds it any more. That it was there, and was deleted, stays in the log, without a word of it.",
    to: "search"
  },
  workspace: {
    does: "Erase",
    needs: "workspaces.eraseWorkspace",
    goes: "Its files, all of their history and what was said in its chats are erased for good, and a chat that goes on in it is stopped. That it was there stays in the log, without a word of it. The next chat of the same pair begins in an empty one.",
    to: "workspaces"
  }
} as const

/** A button that erases what the page is of, once it has been said what goes with it. */
export const Erase = ({
  kind,
  id,
  name
}: {
  readonly kind: keyof typeof kinds
  readonly id: string
  readonly name: string
}): Node => {
  const { does, needs, goes, to } = kinds[kind]
  const erase = async () => {
    const { snippets, workspaces } = session.value!.cairn
    await (kind === "snippet" ? snippets : workspaces).delete(id)
    go(href(to), true)
  }
  return html`<${Confirm} label=${`${does}…`} title=${`${does} this ${kind}?`} action=${`${does} it`} needs=${needs} does=${erase}>
    <p class="path"><${Text} of=${name} /></p>
    <p>${goes}</p>
  <//>`
}
