import { useEffect } from "preact/hooks"
import { html, type Node } from "../html.ts"
import { Text } from "../parts/Text.ts"
import { go, href } from "../router.ts"
import { may } from "../session.ts"
import { filesOf, type Heard, type Turn } from "./follow.ts"
import { Turns } from "./Turns.ts"

/** The turn that an address asks for, within those that there are; `undefined`: all of them. */
export const stepIn = (asked: string | null, turns: number): number | undefined => {
  if (asked === null || !/^\d{1,6}$/.test(asked) || turns === 0) return undefined
  return Math.min(Math.max(Number(asked), 1), turns)
}

/** Whether a key is meant for what has the focus, and not for the page. */
const isTaken = ({ target, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean =>
  altKey ||
  ctrlKey ||
  metaKey ||
  shiftKey ||
  (target as Element).closest("input, textarea, select, pre, dialog") !== null

const tokensOf = (turns: ReadonlyArray<Turn>) => ({
  read: turns.reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0), 0),
  written: turns.reduce((sum, { usage }) => sum + (usage?.outputTokens ?? 0), 0)
})

/** One turn of a run by itself, with the files as the run had changed them by then. */
export const Replay = ({ id, of, step }: { readonly id: string; readonly of: Heard; readonly step: number }): Node => {
  const last = of.turns.length
  const at = (turn: number) => href("run", { id }, { turn })
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      // held down, it would fill the tab's history
      if (event.repeat || isTaken(event)) return
      const to = event.key === "ArrowLeft" ? step - 1 : event.key === "ArrowRight" ? step + 1 : 0
      if (to >= 1 && to <= last) go(at(to))
    }
    document.addEventListener("keydown", pressed)
    return () => document.removeEventListener("keydown", pressed)
  }, [id, step, last])
  const past = of.turns.slice(0, step)
  const files = filesOf({ ...of, turns: past })
  const { read, written } = tokensOf(past)
  const isForgotten = past.some((turn) => turn.isForgotten)
  return html`<nav class="turn-steps" aria-label="Steps of the run">
      ${step > 1 ? html`<a href=${at(step - 1)} rel="prev">← Turn ${step - 1}</a>` : html`<span class="quiet">The first turn</span>`}
      <b role="status">Turn ${step} of ${last}</b>
      ${step < last ? html`<a href=${at(step + 1)} rel="next">Turn ${step + 1} →</a>` : html`<span class="quiet">The last turn</span>`}
      <a href=${href("run", { id })}>All turns</a></nav>
    <${Turns} of=${of.turns.slice(step - 1, step)} />
    <section aria-label="After this turn"><h2>After this turn</h2>
      <p>${read.toLocaleString("en")} tokens read and ${written.toLocaleString("en")} written so far.</p>
      ${files.length === 0 && html`<p class="quiet">${isForgotten ? "Which files were changed by then is not known any more: it is forgotten a day after the run." : "No file was changed by then."}</p>`}
      <ul class="plain changes">${files.map(({ path, status }) => html`<li key=${path}><span class=${`status ${status}`}>${status}</span> <span class="path"><${Text} of=${path} /></span></li>`)}</ul></section>
    <p class="note">What is not told here: the messages that the model was sent at this turn, and what it cost.
      ${may("events.newestEvents") && html` When each step was recorded is <a href=${href("events", {}, { stream: `chat-${id}` })}>in the log</a>.`}</p>`
}
