import type { Workspace } from "../../../clients/typescript/src/index.ts"
import { type Children, html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Copy } from "../parts/Copy.ts"
import { Erase } from "../parts/Erase.ts"
import { Text } from "../parts/Text.ts"
import { href, route } from "../router.ts"
import { may } from "../session.ts"
import { useTitle } from "../title.ts"

/** With the key where the reader's shell has it: it stands in no text of ours. */
const cloneOf = (id: string): string => {
  const { protocol, host } = window.location
  return `git clone "${protocol}//agent:$CAIRN_API_KEY@${host}/git/${id}.git" workspace`
}

/** Whose a workspace is; `null`: it is none of the reader's, `undefined`: not known yet. */
const useOwner = (id: string): Workspace | null | undefined => {
  const [loaded] = useLoaded(id, ({ cairn }, signal) => cairn.workspaces.get(id, { signal }))
  return loaded.state === "failed" ? null : loaded.value
}

const nameOf = (id: string, owner: Workspace | null | undefined): string => {
  if (owner === undefined) return "…"
  return owner === null ? `Workspace ${id.slice(0, 8)}` : `${owner.userId} in ${owner.orgId}`
}

/** Above all pages of a workspace: where one is, its two sides, and how to have it. */
export const Head = ({
  id,
  called,
  title,
  at,
  isMissing = false,
  children
}: {
  readonly id: string
  /** What the page is, for the tab and the history: of which workspace is said here. */
  readonly called: string
  readonly title?: string | undefined
  readonly at?: string | undefined
  /** What was asked for of it is not there: nor is it itself, where it is not among the reader's. */
  readonly isMissing?: boolean
  readonly children?: Children
}): Node => {
  const { page } = route.value
  const owner = useOwner(id)
  const name = html`<${Text} of=${nameOf(id, owner)} />`
  useTitle(owner === undefined ? called : `${called} · ${nameOf(id, owner)}`)
  const isGone = isMissing && owner === null
  const here = (to: typeof page) => (page === to ? "page" : undefined)
  return html`<header class="title">
    <p class="crumbs"><a href=${href("workspaces")}>Workspaces</a>${title !== undefined && html` / <a href=${href("workspace", { id })}>${name}</a>`}</p>
    <h1>${title === undefined ? name : html`<${Text} of=${title} />`}</h1>
    ${
      !isGone &&
      html`<div class="actions">${children}
      ${owner && may("chat.chat") && html`<a class="button small" href=${href("chat", {}, { user: owner.userId, org: owner.orgId })}>Chat here</a>`}<${Copy} text=${cloneOf(id)} label="Copy clone command" what="" />
      ${page === "workspace" && owner !== undefined && html`<${Erase} kind="workspace" id=${id} name=${owner === null ? `Workspace ${id}` : nameOf(id, owner)} />`}</div>
    <nav class="tabs" aria-label="Workspace">
      <a href=${href("workspace", { id })} aria-current=${here("workspace")}>History</a>
      <a href=${href("files", { id }, { at })} aria-current=${here("files")}>Files</a>
      <a href=${href("compare", { id }, { base: page === "commit" ? at : undefined })} aria-current=${here("compare")}>Compare</a>
    </nav>`
    }
  </header>`
}
