import type { RefObject } from "preact"
import { type Children, html, type Node } from "../html.ts"

/** A question or a form above the page. While what was begun in it goes on, it stays: it has to say how that ended. */
export const Dialog = ({
  of,
  label,
  busy,
  onClose,
  children
}: {
  readonly of: RefObject<HTMLDialogElement>
  readonly label: string
  readonly busy: boolean
  readonly onClose?: () => void
  readonly children?: Children
}): Node => {
  const stay = (event: Event) => busy && event.preventDefault()
  // browsers let a page refuse the first Escape only, but each press of the key
  const pressed = (event: KeyboardEvent) => event.key === "Escape" && stay(event)
  return html`<dialog ref=${of} aria-label=${label} onKeyDown=${pressed} onCancel=${stay} onClose=${onClose}>${children}</dialog>`
}
