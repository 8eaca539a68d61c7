import { html, type Node } from "../html.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { standing, tryNow } from "./source.ts"

const words = { connecting: "Connecting…", live: "Live", cut: "Cut off" } as const

/** Whether what is shown goes on by itself; when it is cut off, since when, and a button that tries at once. */
export const Live = (): Node => {
  const now = standing.value
  if (now.is === "off") return null
  return html`<span class=${`live ${now.is}`} role="status">
    <span class="dot" aria-hidden="true" />${words[now.is]}
    ${
      now.is === "cut" &&
      html`<span class="quiet" title=${now.why}> <${Time} at=${new Date(now.since).toISOString()} />, trying again</span>
      <button type="button" class="small" onClick=${tryNow}>Try now</button>`
    }</span>`
}

/** Why it is cut off, where there is room for a sentence. */
export const CutOff = (): Node => {
  const now = standing.value
  if (now.is !== "cut") return null
  return html`<p class="note warn">What happens is not shown any more: the connection is cut off. It is tried again by itself. <span class="quiet"><${Text} of=${now.why} /></span></p>`
}
