import { useState } from "preact/hooks"
import { type Children, html, type Node } from "../html.ts"

/** Content that is made only when it is opened. */
export const Folded = ({ summary, children }: { readonly summary: Children; readonly children: () => Node }): Node => {
  const [open, setOpen] = useState(false)
  return html`<details open=${open} onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
    <summary>${summary}</summary>
    ${open && children()}</details>`
}
