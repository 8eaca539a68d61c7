import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Confirm } from "../parts/Confirm.ts"
import { Failed, Waiting } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { go, href } from "../router.ts"
import { session } from "../session.ts"
import { useStays } from "../useStays.ts"
import { changesBetween } from "./changes.ts"

/** How many changes are named one by one. */
const mostNamed = 12

const Preview = ({ id, sha }: { readonly id: string; readonly sha: string }): Node => {
  const [loaded, again] = useLoaded(sha, async ({ cairn }, signal) => {
    const [now, then] = await Promise.all([
      cairn.workspaces.tree(id, {}, { signal }),
      cairn.workspaces.tree(id, { at: sha }, { signal })
    ])
    return changesBetween(now.files, then.files)
  })
  if (loaded.state === "failed") return html`<${Failed} ...${loaded} again=${again} />`
  if (loaded.value === undefined) return html`<${Waiting} lines=${2} />`
  if (loaded.value.length === 0) return html`<p>The workspace already has these files: nothing will change.</p>`
  const more = loaded.value.length - mostNamed
  return html`<ul class="plain changes">
    ${loaded.value.slice(0, mostNamed).map(({ path, status }) => html`<li key=${path}><span class=${`status ${status}`}>${status}</span> <span class="path"><${Text} of=${path} /></span></li>`)}
    ${more > 0 && html`<li class="quiet">and ${more.toLocaleString("en")} more</li>`}</ul>`
}

/** Restores the files of a commit, after the reader has seen what that changes. */
export const Restore = ({ id, sha }: { readonly id: string; readonly sha: string }): Node => {
  const stays = useStays()
  return html`<${Confirm} label="Restore…" title="Restore these files?" action="Restore" needs="workspaces.restoreWorkspace" grave=${false}
    does=${async () => {
      const { commit } = await session.value!.cairn.workspaces.restore(id, sha)
      if (stays()) go(href("commit", { id, sha: commit }))
    }}>
    <p>Adds a commit with the files as they were at <code>${sha.slice(0, 12)}</code>. The history stays, so this can be undone the same way.</p>
    <${Preview} id=${id} sha=${sha} />
  <//>`
}
