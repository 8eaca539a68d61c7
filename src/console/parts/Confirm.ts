import { useRef, useState } from "preact/hooks"
import { PermissionDeniedError } from "../../../clients/typescript/src/index.ts"
import { type Children, html, type Node } from "../html.ts"
import { failure, may } from "../session.ts"
import { plain } from "../visible.ts"
import { Button } from "./Button.ts"
import { Dialog } from "./Dialog.ts"
import { Text } from "./Text.ts"

/** A button for what can't be undone, or should be looked at first: it says what will happen, and asks. */
export const Confirm = ({
  label,
  of,
  title,
  action,
  does,
  grave = true,
  needs,
  children
}: {
  readonly label: string
  /** What it is done to, if a page has several such buttons: screen readers tell them apart by it. */
  readonly of?: string
  readonly title: string
  readonly action: string
  readonly does: () => Promise<void>
  /** Whether something is lost by it. */
  readonly grave?: boolean
  /** The operation that it does. A key that may not do it sees no button. */
  readonly needs: string
  readonly children?: Children
}): Node => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [problem, setProblem] = useState("")
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState(false)
  // what it says may have changed since it was last open
  const [isOpen, setOpen] = useState(false)
  const open = () => {
    setProblem("")
    setRefused(false)
    setOpen(true)
    dialog.current?.showModal()
  }
  const act = async () => {
    setBusy(true)
    setProblem("")
    try {
      await does()
      dialog.current?.close()
    } catch (error) {
      setProblem(failure(error))
      if (error instanceof PermissionDeniedError) setRefused(true)
    }
    setBusy(false)
  }
  if (!may(needs)) return null
  return html`
    <button type="button" class=${grave ? "small grave" : "small"} aria-label=${of && `${label} ${plain(of)}`} onClick=${open}>${label}</button>
    <${Dialog} of=${dialog} label=${title} busy=${busy} onClose=${() => setOpen(false)}>
      <h2>${title}</h2>${isOpen && children}
      <p class="problem" role="alert">${problem && html`<${Text} of=${problem} />`}</p>
      <div class="actions">
        <${Button} type="button" busy=${busy} onClick=${() => dialog.current?.close()}>${refused ? "Close" : "Cancel"}<//>
        ${!refused && html`<${Button} type="button" class=${grave ? "grave" : "primary"} busy=${busy} onClick=${act}>${busy ? "…" : action}<//>`}
      </div>
    <//>`
}
