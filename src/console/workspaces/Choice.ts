import { useState } from "preact/hooks"
import type { Commit } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useSettled } from "../parts/useSettled.ts"
import { valueOf } from "../parts/valueOf.ts"
import { plain } from "../visible.ts"
import { saidIn } from "./message.ts"

/** A value that is no commit's name. */
const another = "another"

/** A choice of a commit: one of a list, or any other by its name. */
export const Choice = ({
  label,
  none,
  value,
  of,
  choose
}: {
  readonly label: string
  readonly none: string
  readonly value: string
  readonly of: ReadonlyArray<Commit>
  readonly choose: (sha: string) => void
}): Node => {
  const [isTyped, setTyped] = useState(false)
  // kept here, because a new render would put the chosen commit in its place
  const [text, setText] = useState<string>()
  const [listed, settle] = useSettled(value, choose)
  const chosen = (event: Event) => {
    const sha = valueOf(event)
    setTyped(sha === another)
    setText(undefined)
    // what was passed on the way to another one is not chosen
    settle(sha === another ? undefined : sha)
  }
  const typed = (event: Event) => {
    const field = event.target as HTMLInputElement
    if (field.value === "" || !field.reportValidity()) return
    setText(undefined)
    choose(field.value.trim().toLowerCase())
  }
  return html`<label>${label} <select value=${isTyped ? another : listed} onChange=${chosen}>
    <option value="">${none}</option>
    ${value !== "" && !of.some(({ sha }) => sha === value) && html`<option value=${value}>${plain(value.slice(0, 12))}</option>`}
    ${of.map(({ sha, message }) => html`<option key=${sha} value=${sha}>${sha.slice(0, 8)} ${plain(saidIn(message).title.slice(0, 60))}</option>`)}
    <option value=${another}>another commit…</option></select></label>
    ${isTyped && html`<label><span class="spoken">${label} the commit </span><input class="sha" value=${text ?? value} pattern="\\s*[0-9a-fA-F]{40}\\s*" title="40 hexadecimal digits" placeholder="40 hexadecimal digits" autocomplete="off" spellcheck="false" onInput=${(event: Event) => setText(valueOf(event))} onChange=${typed} /></label>`}`
}
