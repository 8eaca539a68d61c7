import { html, type Node } from "../html.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { standing, tryNow } from "./source.ts"

const words = { connecting: "Connecting…", live: "Live", cut: "Disconnected" } as const

/** Whether the page is updated by itself, or since when it is not. */
export const Live = (): Node => {
  const now = standing.value
  if (now.is === "off") return null
  return html`<span class=${`live ${now.is}`} role="status">
    <span class="dot" aria-hidden="true" />${words[now.is]}
    ${now.is === "cut" && html`<span class="quiet"> <${Time} at=${new Date(now.since).toISOString()} /></span>`}</span>`
}

/** Stands above each page that follows events when it no longer gets them: why, and a button that tries at once. */
export const CutOff = (): Node => {
  const now = standing.value
  if (now.is !== "cut") return null
  return html`<p class="note warn cut-off-note" role="status">Live updates have stopped: the connection was lost. Reconnecting automatically. <span class="quiet"><${Text} of=${now.why} /></span> <button type="button" class="small" onClick=${tryNow}>Try now</button></p>`
}
