import { signal } from "@preact/signals"
import { useMemo, useState } from "preact/hooks"
import { lineOf } from "../code/Code.ts"
import { html, type Node } from "../html.ts"
import { Text } from "../parts/Text.ts"
import { useSome } from "../parts/useSome.ts"
import { plain } from "../visible.ts"
import type { DiffLine, FileDiff, Hunk } from "./parse.ts"
import { type Row, rowsOf } from "./rows.ts"

/** How many lines of a file are shown at first, and how many more each time that somebody asks. */
const [most, step] = [400, 2_000]
/** How many files are listed at first, and how many lines the browser lays out, or skips, as one group. */
const [mostFiles, together] = [200, 200]
/** If all files together have more lines than this, none of them is open at first. */
const mostTogether = 4_000

/** Whether both sides are shown beside each other, if there is room. */
const beside = signal(false)

const signs = { same: " ", added: "+", removed: "-" }
const spoken = { same: "", added: "added", removed: "removed" }
const number = (of: number | undefined): Node => html`<td class="number" data-number=${of ?? ""} />`

const content = (line: DiffLine | undefined, side?: string): Node => {
  if (line === undefined) return html`<td class="none" />`
  return html`<td class=${`line ${line.kind} ${side ?? ""}`}>
    <span class="sign" aria-hidden="true">${signs[line.kind]}</span>${spoken[line.kind] !== "" && html`<span class="spoken">${spoken[line.kind]}: </span>`}<code>${lineOf([[undefined, line.text]])}</code>
    ${line.open && html`<span class="cut" title="No newline at end of file">⏎ missing</span>`}</td>`
}

/** What a table shows, from top to bottom: a line, on one side or on two, or a heading between hunks. */
type Shown = { readonly title: string } | { readonly line: DiffLine } | Row

const shownOf = (hunks: ReadonlyArray<Hunk>, isBeside: boolean): ReadonlyArray<Shown> =>
  hunks.flatMap(({ title, lines }, index): ReadonlyArray<Shown> => {
    const between = index > 0 || title !== "" ? [{ title: title || "⋯" }] : []
    return [...between, ...(isBeside ? rowsOf(lines) : lines.map((line) => ({ line })))]
  })

const rowOf = (of: Shown, index: number): Node => {
  if ("title" in of) return html`<tr key=${index} class="between"><td colspan="4"><${Text} of=${of.title} /></td></tr>`
  if ("line" in of)
    return html`<tr key=${index}>${number(of.line.before)}${number(of.line.after)}${content(of.line)}</tr>`
  const { left, right } = of
  return html`<tr key=${index}>${number(left?.before)}${content(left, "left")}${number(right?.after)}${content(right)}</tr>`
}

const heads = {
  unified: ["Line before", "Line after", "Content"],
  split: ["Line before", "Before", "Line after", "After"]
}

/** The columns' headings, for screen readers only. */
const Heads = ({ kind }: { readonly kind: keyof typeof heads }): Node =>
  html`<thead><tr>${heads[kind].map((head) => html`<th key=${head} scope="col"><span class="spoken">${head}</span></th>`)}</tr></thead>`

const Part = ({ of, kind }: { readonly of: ReadonlyArray<Shown>; readonly kind: string }): Node => html`
  <div class="chunk" style=${{ "--lines": of.length }}><table class=${kind}>${kind === "split" && html`<colgroup><col class="lines" /><col /><col class="lines" /><col /></colgroup>`}<${Heads} kind=${kind} /><tbody>${of.map(rowOf)}</tbody></table></div>`

const Counts = ({ added, removed }: { readonly added: number; readonly removed: number }): Node => html`
  <span class="counts"><span class="plus" aria-label=${`${added} lines added`}>+${added.toLocaleString("en")}</span>
  <span class="minus" aria-label=${`${removed} lines removed`}>−${removed.toLocaleString("en")}</span></span>`

const Lines = ({ file }: { readonly file: FileDiff }): Node => {
  const isBeside = beside.value
  const all = useMemo(() => shownOf(file.hunks, isBeside), [file, isBeside])
  const [some, more] = useSome(all, { first: most, step, what: "lines" })
  const parts = Array.from({ length: Math.ceil(some.length / together) }, (_, index) => index * together)
  return html`<div class="diff" tabindex="0" role="region" aria-label=${`Changes in ${plain(file.path)}`}>
      ${parts.map((at) => html`<${Part} key=${at} of=${some.slice(at, at + together)} kind=${isBeside ? "split" : "unified"} />`)}</div>
    ${more && html`<p class="note">${more}</p>`}`
}

const File = ({ file, open }: { readonly file: FileDiff; readonly open: boolean }): Node => {
  const [isOpen, setOpen] = useState(open)
  const lines = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  const left = file.remark !== undefined && html`<p class="note left-out"><${Text} of=${file.remark} /></p>`
  const body = () => {
    // an abbreviated blob name does not prove that two binary files are the same
    if (file.isBinary) return html`<p class="note">Binary file: not shown.</p>`
    if (file.status === "renamed" && lines === 0) return html`<p class="note">Only the name changed.</p>`
    if (lines === 0 && file.remark !== undefined) return left
    if (lines === 0) return html`<p class="note">No lines changed: the file is empty, or only its mode changed.</p>`
    return html`<${Lines} file=${file} />
      ${left}`
  }
  return html`<details class="file" open=${isOpen} onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
    <summary><span class=${`status ${file.status}`}>${file.status}</span>
      <span class="path">${file.from !== undefined && html`<${Text} of=${file.from} /> → `}<${Text} of=${file.path} /></span>
      <${Counts} added=${file.added} removed=${file.removed} /></summary>
    ${isOpen && body()}
  </details>`
}

/** The changed files, each with its lines, on one side or on two. */
export const Diff = ({ files }: { readonly files: ReadonlyArray<FileDiff> }): Node => {
  const added = files.reduce((sum, file) => sum + file.added, 0)
  const removed = files.reduce((sum, file) => sum + file.removed, 0)
  const open = added + removed <= mostTogether
  const [some, more] = useSome(files, { first: mostFiles, step: mostFiles, what: "files" })
  if (files.length === 0) return html`<p class="note">No files changed.</p>`
  return html`<section class="files-changed" aria-label="Changes">
    <div class="diff-head"><p>${files.length === 1 ? "1 file" : `${files.length.toLocaleString("en")} files`} <${Counts} added=${added} removed=${removed} /></p>
      <div class="toggle" role="group" aria-label="How changes are shown">
        <button type="button" class="small" aria-pressed=${!beside.value} onClick=${() => (beside.value = false)}>Unified</button>
        <button type="button" class="small" aria-pressed=${beside.value} onClick=${() => (beside.value = true)}>Split</button>
      </div></div>
    ${some.map((file) => html`<${File} key=${file.path} file=${file} open=${open} />`)}
    ${more && html`<p class="note">${more}</p>`}
  </section>`
}
