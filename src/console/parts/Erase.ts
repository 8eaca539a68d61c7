import { html, type Node } from "../html.ts"
import { go, href } from "../router.ts"
import { session } from "../session.ts"
import { useStays } from "../useStays.ts"
import { Confirm } from "./Confirm.ts"
import { Text } from "./Text.ts"

/** What has a page and can be erased: its name, what is erased with it, and where the reader is led afterwards. */
const kinds = {
  snippet: {
    does: "Delete",
    needs: "snippets.delete",
    goes: "Its source, tasks, votes, comments and runs are erased for good, and searches no longer find it. The log keeps only that the snippet existed and was deleted, without any of its text.",
    to: "search"
  },
  workspace: {
    does: "Erase",
    needs: "workspaces.eraseWorkspace",
    goes: "Its files, their history and everything said in its chats are erased for good, and a running chat is stopped. The log keeps only that the workspace existed, without any of its text. The next chat of the same user and organization starts in an empty workspace.",
    to: "workspaces"
  }
} as const

/** A button that erases what the page shows, after it has said what is erased with it. */
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
  const stays = useStays()
  const erase = async () => {
    const { snippets, workspaces } = session.value!.cairn
    await (kind === "snippet" ? snippets : workspaces).delete(id)
    if (stays()) go(href(to), true)
  }
  return html`<${Confirm} label=${`${does}…`} title=${`${does} this ${kind}?`} action=${`${does} ${kind}`} needs=${needs} does=${erase}>
    <p class="path"><${Text} of=${name} /></p>
    <p>${goes}</p>
  <//>`
}
