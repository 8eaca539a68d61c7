import type { Workspace } from "../../../clients/typescript/src/index.ts"
import { type Children, html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Copy } from "../parts/Copy.ts"
import { Erase } from "../parts/Erase.ts"
import { Text } from "../parts/Text.ts"
import { href, route } from "../router.ts"
import { may } from "../session.ts"
import { useTitle } from "../title.ts"

/** The key comes from the reader's shell, so it is in no text of ours. */
const cloneOf = (id: string): string => {
  const { protocol, host } = window.location
  return `git clone "${protocol}//agent:$CAIRN_API_KEY@${host}/git/${id}.git" workspace`
}

/** A workspace with its owner; `null`: the reader may not see it; `undefined`: not known yet. */
const useOwner = (id: string): Workspace | null | undefined => {
  const [loaded] = useLoaded(id, ({ cairn }, signal) => cairn.workspaces.get(id, { signal }))
  return loaded.state === "failed" ? null : loaded.value
}

const nameOf = (id: string, owner: Workspace | null | undefined): string => {
  if (owner === undefined) return "…"
  return owner === null ? `Workspace ${id.slice(0, 8)}` : `${owner.userId} in ${owner.orgId}`
}

/** Stands above all pages of a workspace: where the reader is, its commits and files, and how to clone it. */
export const Head = ({
  id,
  called,
  title,
  at,
  isMissing = false,
  children
}: {
  readonly id: string
  /** What the page is, for the title. The workspace's name is added here. */
  readonly called: string
  readonly title?: string | undefined
  readonly at?: string | undefined
  /** Whether what was asked for is missing. If the reader does not see the workspace either, it is missing, too. */
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
