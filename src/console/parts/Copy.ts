import { useRef, useState } from "preact/hooks"
import { html, type Node } from "../html.ts"

/** A page without TLS, from another machine, has no clipboard. A selection works everywhere. */
const copied = async (text: string): Promise<boolean> => {
  try {
    if (navigator.clipboard !== undefined) {
      await navigator.clipboard.writeText(text)
      return true
    }
    const area = document.createElement("textarea")
    area.value = text
    area.className = "spoken"
    document.body.append(area)
    area.select()
    const done = document.execCommand("copy")
    area.remove()
    return done
  } catch {
    return false
  }
}

/** Copies a text as it is, with its invisible characters. */
export const Copy = ({ text, label = "Copy", what }: { text: string; label?: string; what: string }): Node => {
  const [said, setSaid] = useState("")
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const copy = async () => {
    setSaid((await copied(text)) ? "Copied" : "Not allowed")
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setSaid(""), 1_600)
  }
  return html`<button type="button" class="small" onClick=${copy} aria-label=${said || `${label} ${what}`.trim()}>
    <span aria-live="polite">${said || label}</span></button>`
}
