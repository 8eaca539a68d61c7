import { useMemo, useState } from "preact/hooks"
import type { TreeFile } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Empty, whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { href, route } from "../router.ts"
import { useTitle } from "../title.ts"
import { bytesIn } from "../workspaces/bytes.ts"
import { FileView } from "../workspaces/FileView.ts"
import { Head } from "../workspaces/Head.ts"
import { Restore } from "../workspaces/Restore.ts"
import { type Folder, treeOf } from "../workspaces/tree.ts"

/** Files of a folder that are listed before somebody asks for all. */
const most = 500

interface Place {
  readonly id: string
  readonly at: string | undefined
  readonly path: string
}

const Inside = ({ of, place }: { readonly of: Folder; readonly place: Place }): Node => {
  const [all, setAll] = useState(false)
  const files = all ? of.files : of.files.slice(0, most)
  return html`<ul>
    ${of.folders.map((folder) => html`<${Branch} key=${folder.path} of=${folder} place=${place} />`)}
    ${files.map(
      ({ path, name, size }) => html`<li key=${path}>
      <a href=${href("files", { id: place.id }, { at: place.at, path })} aria-current=${path === place.path ? "page" : undefined}>
        <span class="path"><${Text} of=${name} /></span><small class="quiet">${bytesIn(size)}</small></a></li>`
    )}
    ${files.length < of.files.length && html`<li><button type="button" class="small" onClick=${() => setAll(true)}>Show all ${of.files.length.toLocaleString("en")} files</button></li>`}
  </ul>`
}

/** A folder; what is in a closed one is not made. */
const Branch = ({ of, place }: { readonly of: Folder; readonly place: Place }): Node => {
  const [open, setOpen] = useState(of.count <= 40 || place.path.startsWith(`${of.path}/`))
  return html`<li><details open=${open} onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
    <summary><span class="path"><${Text} of=${of.name} /></span><small class="quiet">${of.count.toLocaleString("en")}</small></summary>
    ${open && html`<${Inside} of=${of} place=${place} />`}</details></li>`
}

const Tree = ({ files, place }: { readonly files: ReadonlyArray<TreeFile>; readonly place: Place }): Node => {
  const tree = useMemo(() => treeOf(files), [files])
  if (files.length === 0) return html`<${Empty} title="No files"><p>At this commit the workspace has none.</p><//>`
  return html`<div class="files">
    <nav class="tree" aria-label="Files"><${Inside} of=${tree} place=${place} /></nav>
    ${place.path === "" ? html`<p class="note">${files.length === 1 ? "One file" : `${files.length.toLocaleString("en")} files`}, ${bytesIn(files.reduce((sum, { size }) => sum + size, 0))}. Open one to read it.</p>` : html`<${FileView} ...${place} />`}
  </div>`
}

/** The files of a workspace as a tree, at its last commit or an earlier one. */
export const Files = (): Node => {
  const { parameters, query } = route.value
  const id = parameters["id"]!
  const at = query.get("at") ?? undefined
  const path = query.get("path") ?? ""
  useTitle(path === "" ? "Files" : path)
  const loaded = useLoaded(`${id} ${at}`, ({ cairn }, signal) => cairn.workspaces.tree(id, { at }, { signal }))
  return html`<div class="page"><${Head} id=${id} at=${at}>${at !== undefined && html`<${Restore} id=${id} sha=${at} />`}<//>
    ${at !== undefined && html`<p class="note">As of the commit <a href=${href("commit", { id, sha: at })}><code>${at.slice(0, 12)}</code></a>. <a href=${href("files", { id }, { path })}>Show the latest</a></p>`}
    ${whenThere(loaded, ({ files }) => html`<${Tree} files=${files} place=${{ id, at, path }} />`, 8)}</div>`
}
