import type { TreeFile } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Empty, whenThere } from "../parts/States.ts"
import { href, route } from "../router.ts"
import { countOf, type Place, Tree } from "../workspaces/FileTree.ts"
import { FileView } from "../workspaces/FileView.ts"
import { Head } from "../workspaces/Head.ts"
import { Restore } from "../workspaces/Restore.ts"

const All = ({ files, place }: { readonly files: ReadonlyArray<TreeFile>; readonly place: Place }): Node => {
  if (files.length === 0)
    return html`<${Empty} title="No files"><p>The workspace has none ${place.run === undefined ? "at this commit" : "after this turn"}.</p><//>`
  return html`<div class="files">
    <${Tree} files=${files} place=${place} />
    ${place.path === "" ? html`<p class="note">${countOf(files)}. Select a file to read it.</p>` : html`<${FileView} ...${place} size=${files.find(({ path }) => path === place.path)?.size} />`}
  </div>`
}

/** What an address asks for: a commit's files, or those after a turn of a run; by default the latest. */
const placeIn = (id: string, query: URLSearchParams): Place => {
  const [run, turn] = [query.get("run"), query.get("turn")]
  const path = query.get("path") ?? ""
  if (run !== null && turn !== null && /^\d{1,6}$/.test(turn)) return { id, run, turn: Number(turn), path }
  return { id, at: query.get("at") ?? undefined, path }
}

/** A workspace's files as a tree: at its last commit, at an earlier one, or after a turn of a run. */
export const Files = (): Node => {
  const { parameters, query } = route.value
  const id = parameters["id"]!
  const place = placeIn(id, query)
  const { at, run, turn, path } = place
  const loaded = useLoaded(JSON.stringify([id, at, run, turn]), ({ cairn }, signal) =>
    cairn.workspaces.tree(id, { at, run, turn }, { signal })
  )
  const latest = html`<a href=${href("files", { id }, { path })}>Show the latest</a>`
  return html`<div class="page"><${Head} id=${id} called=${path === "" ? "Files" : path} at=${at} isMissing=${loaded[0].state === "failed" && loaded[0].why === "missing"}>${at !== undefined && html`<${Restore} id=${id} sha=${at} />`}<//>
    ${at !== undefined && html`<p class="note">As of commit <a href=${href("commit", { id, sha: at })}><code>${at.slice(0, 12)}</code></a>. ${latest}</p>`}
    ${run !== undefined && html`<p class="note">As a chat had them after <a href=${href("run", { id: run }, { turn })}>turn ${turn}</a>. ${latest}</p>`}
    ${whenThere(loaded, ({ files }) => html`<${All} files=${files} place=${place} />`, 8)}</div>`
}
