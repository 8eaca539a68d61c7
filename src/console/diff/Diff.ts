import { signal } from "@preact/signals"
import { useState } from "preact/hooks"
import { lineOf } from "../code/Code.ts"
import { html, type Node } from "../html.ts"
import { Text } from "../parts/Text.ts"
import { plain } from "../visible.ts"
import type { DiffLine, FileDiff, Hunk } from "./parse.ts"
import { rowsOf } from "./rows.ts"

/** Lines of a file that are shown before somebody asks for all of them. */
const most = 400
/** Of all files together: of more than that none is open at first. */
const mostTogether = 4_000

/** Whether both sides stand beside each other, where there is room for it. */
const beside = signal(false)

const signs = { same: " ", added: "+", removed: "-" }
const spoken = { same: "", added: "added", removed: "removed" }
const number = (of: number | undefined): Node => html`<td class="number" data-number=${of ?? ""} />`

const content = (line: DiffLine | undefined, side?: string): Node => {
  if (line === undefined) return html`<td class="none" />`
  return html`<td class=${`line ${line.kind} ${side ?? ""}`}>
    <span class="sign" aria-hidden="true">${signs[line.kind]}</span>${spoken[line.kind] !== "" && html`<span class="spoken">${spoken[line.kind]}: </span>`}<code>${lineOf([[undefined, line.text]])}</code>
    ${line.open && html`<span class="cut" title="The file ends without the end of a line">⏎ missing</span>`}</td>`
}

const Unified = ({ hunk }: { readonly hunk: Hunk }): Node => html`<tbody>
  ${hunk.lines.map((line, index) => html`<tr key=${index}>${number(line.before)}${number(line.after)}${content(line)}</tr>`)}</tbody>`

const Split = ({ hunk }: { readonly hunk: Hunk }): Node => html`<tbody>
  ${rowsOf(hunk.lines).map(
    ({ left, right }, index) => html`<tr key=${index}>
      ${number(left?.before)}${content(left, "left")}${number(right?.after)}${content(right)}</tr>`
  )}</tbody>`

/** The first lines of hunks. */
const first = (hunks: ReadonlyArray<Hunk>, lines: number): ReadonlyArray<Hunk> => {
  let left = lines
  return hunks.flatMap((hunk) => {
    if (left <= 0) return []
    const taken = { ...hunk, lines: hunk.lines.slice(0, left) }
    left -= taken.lines.length
    return [taken]
  })
}

const Counts = ({ added, removed }: { readonly added: number; readonly removed: number }): Node => html`
  <span class="counts"><span class="plus" aria-label=${`${added} lines added`}>+${added.toLocaleString("en")}</span>
  <span class="minus" aria-label=${`${removed} lines removed`}>−${removed.toLocaleString("en")}</span></span>`

const Hunks = ({ file, all }: { readonly file: FileDiff; readonly all: boolean }): Node => {
  const hunks = all ? file.hunks : first(file.hunks, most)
  const View = beside.value ? Split : Unified
  return html`<div class="diff" tabindex="0" role="region" aria-label=${`Changes of ${plain(file.path)}`}>
    <table class=${beside.value ? "split" : "unified"}>
      ${hunks.map(
        (hunk, index) => html`
        ${(index > 0 || hunk.title !== "") && html`<tbody key=${`title ${index}`} class="between"><tr><td colspan="4"><${Text} of=${hunk.title || "⋯"} /></td></tr></tbody>`}
        <${View} key=${index} hunk=${hunk} />`
      )}
    </table></div>`
}

const File = ({ file, open }: { readonly file: FileDiff; readonly open: boolean }): Node => {
  const [all, setAll] = useState(false)
  const [isOpen, setOpen] = useState(open)
  const lines = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  const left = file.remark !== undefined && html`<p class="note left-out"><${Text} of=${file.remark} /></p>`
  const body = () => {
    if (file.isBinary) return html`<p class="note">A binary file: its bytes are not shown.</p>`
    if (lines === 0 && file.remark !== undefined) return left
    if (lines === 0)
      return html`<p class="note">${file.status === "renamed" ? "Only its name has changed." : "No lines have changed: it is empty, or its mode is another."}</p>`
    return html`<${Hunks} file=${file} all=${all} />
      ${!all && lines > most && html`<p class="note"><button type="button" onClick=${() => setAll(true)}>Show all ${lines.toLocaleString("en")} lines</button></p>`}
      ${left}`
  }
  return html`<details class="file" open=${isOpen} onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
    <summary><span class=${`status ${file.status}`}>${file.status}</span>
      <span class="path">${file.from !== undefined && html`<${Text} of=${file.from} /> → `}<${Text} of=${file.path} /></span>
      <${Counts} added=${file.added} removed=${file.removed} /></summary>
    ${isOpen && body()}
  </details>`
}

/** Files that changed, each with its lines, on one side or on two. */
export const Diff = ({ files }: { readonly files: ReadonlyArray<FileDiff> }): Node => {
  const added = files.reduce((sum, file) => sum + file.added, 0)
  const removed = files.reduce((sum, file) => sum + file.removed, 0)
  const open = added + removed <= mostTogether
  if (files.length === 0) return html`<p class="note">No file has changed.</p>`
  return html`<section class="files-changed" aria-label="Changes">
    <div class="diff-head"><p>${files.length === 1 ? "1 file" : `${files.length.toLocaleString("en")} files`} <${Counts} added=${added} removed=${removed} /></p>
      <div class="toggle" role="group" aria-label="How changes are shown">
        <button type="button" class="small" aria-pressed=${!beside.value} onClick=${() => (beside.value = false)}>Unified</button>
        <button type="button" class="small" aria-pressed=${beside.value} onClick=${() => (beside.value = true)}>Split</button>
      </div></div>
    ${files.map((file) => html`<${File} key=${file.path} file=${file} open=${open} />`)}
  </section>`
}
