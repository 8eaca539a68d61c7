import { useMemo, useState } from "preact/hooks"
import type { PlaceParams, TreeFile } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Text } from "../parts/Text.ts"
import { useSome } from "../parts/useSome.ts"
import { href } from "../router.ts"
import { bytesIn } from "./bytes.ts"
import { type Folder, treeOf } from "./tree.ts"

/** How many files of a folder are listed before somebody asks for more. */
const most = 500

/** Which state of a workspace is shown, and which of its files. */
export interface Place extends PlaceParams {
  readonly id: string
  readonly path: string
}

/** The address of a file in one state of a workspace. */
export const fileAt = ({ id, at, run, turn }: Place, path: string): string =>
  href("files", { id }, { at, run, turn, path })

interface Shown {
  readonly place: Place
  /** What became of files, by their paths. */
  readonly marks: ReadonlyMap<string, string>
}

const Inside = ({ of, ...shown }: Shown & { readonly of: Folder }): Node => {
  const { place, marks } = shown
  const [files, more] = useSome(of.files, { first: most, step: 2_000, what: "files" })
  return html`<ul>
    ${of.folders.map((folder) => html`<${Branch} key=${folder.path} of=${folder} ...${shown} />`)}
    ${files.map(
      ({ path, name, size }) => html`<li key=${path}>
      <a href=${fileAt(place, path)} aria-current=${path === place.path ? "page" : undefined}>
        <span class="path"><${Text} of=${name} /></span>${marks.has(path) && html`<span class=${`status ${marks.get(path)}`}>${marks.get(path)}</span>`}<small class="quiet">${bytesIn(size)}</small></a></li>`
    )}
    ${more && html`<li>${more}</li>`}
  </ul>`
}

/** A folder. The content of a closed one is not made. */
const Branch = ({ of, ...shown }: Shown & { readonly of: Folder }): Node => {
  const { place, marks } = shown
  const holds = (path: string) => path.startsWith(`${of.path}/`)
  const [open, setOpen] = useState(of.count <= 40 || holds(place.path) || [...marks.keys()].some(holds))
  return html`<li><details open=${open} onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
    <summary><span class="path"><${Text} of=${of.name} /></span><small class="quiet">${of.count.toLocaleString("en")}</small></summary>
    ${open && html`<${Inside} of=${of} ...${shown} />`}</details></li>`
}

const none: ReadonlyMap<string, string> = new Map()

/** Files as a tree of folders, each a link to its content. */
export const Tree = ({
  files,
  place,
  marks = none
}: {
  readonly files: ReadonlyArray<TreeFile>
  readonly place: Place
  readonly marks?: ReadonlyMap<string, string>
}): Node => {
  const tree = useMemo(() => treeOf(files), [files])
  return html`<nav class="tree" aria-label="Files"><${Inside} of=${tree} place=${place} marks=${marks} /></nav>`
}

/** The number of files, and their bytes. */
export const countOf = (files: ReadonlyArray<TreeFile>): string =>
  `${files.length === 1 ? "One file" : `${files.length.toLocaleString("en")} files`}, ${bytesIn(files.reduce((sum, { size }) => sum + size, 0))}`
