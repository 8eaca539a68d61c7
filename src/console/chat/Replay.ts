import { useEffect } from "preact/hooks"
import type { TakenTurn, TurnList } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import type { Loaded } from "../loading.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { go, href } from "../router.ts"
import { may } from "../session.ts"
import { FilesAfter } from "./FilesAfter.ts"
import { costIn, lasted, sumOfTurns, tokensIn } from "./figures.ts"
import { filesOf, type Heard } from "./follow.ts"
import { WhatItSaw } from "./Told.ts"
import { Turns } from "./Turns.ts"

/** The turn that an address asks for, or the nearest one that there is; `undefined`: all turns. */
export const stepIn = (asked: string | null, turns: number): number | undefined => {
  if (asked === null || !/^\d{1,6}$/.test(asked) || turns === 0) return undefined
  return Math.min(Math.max(Number(asked), 1), turns)
}

/** Whether a key press is meant for the focused element, and not for the page. */
const isTaken = ({ target, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean =>
  altKey ||
  ctrlKey ||
  metaKey ||
  shiftKey ||
  (target as Element).closest("input, textarea, select, pre, dialog") !== null

/** What a turn took: tokens, cost and time, one on each line. */
const Took = ({ of }: { readonly of: TakenTurn }): Node => html`<ul class="facts-list">
  <li>Answered by: ${of.model === null ? "not known" : html`<${Text} of=${of.model} />`}${ends[of.ended] !== undefined && `, ${ends[of.ended]}`}</li>
  <li>Time: ${lasted(of.begunAt, of.answeredAt)} until the model had answered${of.toolsEndedAt !== null && `, ${lasted(of.answeredAt, of.toolsEndedAt)} for its tools`}. Answered <${Time} at=${of.answeredAt} /></li>
  <li>Tokens: ${tokensIn(of.usage)}</li>
  <li>Cost: ${costOf(of.cost)}</li>
  ${of.compacted !== null && html`<li>Before this turn, turns up to ${of.compacted.upTo} were summarized: ${tokensIn(of.compacted.usage)}, ${costOf(of.compacted.cost)}${of.compacted.model === null && " (no model could, so the summary lists the steps)"}</li>`}
</ul>`

/** Unusual ends of a turn. */
const ends: { readonly [ended: string]: string } = {
  paused: "which paused to continue",
  declined: "which declined the task",
  cut: "whose answer reached its token limit",
  full: "for which the conversation was too long"
}

const costOf = (cost: number | null): string =>
  cost === null ? "not known (no price is configured for this model)" : costIn(cost)

/** What all turns up to one took. At the last turn it also says what the workspace's memory took. */
const SoFar = ({ of: { turns, remembered }, step }: { readonly of: TurnList; readonly step: number }): Node => {
  const { usage, cost } = sumOfTurns(turns.slice(0, step))
  return html`<p>So far: ${tokensIn(usage)}, ${costOf(cost)}.</p>
    ${step === turns.length && remembered !== null && html`<p class="quiet">Then, for the workspace's memory: ${tokensIn(remembered.usage)}, ${costOf(remembered.cost)}.</p>`}`
}

interface Of {
  readonly id: string
  readonly of: Heard
  readonly step: number
  /** What is known of the run's turns. */
  readonly facts: readonly [Loaded<TurnList>, () => void]
}

/** One turn of a run: what the model saw, said and took, and the files that the run had by then. */
export const Replay = ({ id, of, step, facts }: Of): Node => {
  const last = of.turns.length
  const at = (turn: number) => href("run", { id }, { turn })
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      // a key that is held down would fill the tab's history
      if (event.repeat || isTaken(event)) return
      const to = event.key === "ArrowLeft" ? step - 1 : event.key === "ArrowRight" ? step + 1 : 0
      if (to >= 1 && to <= last) go(at(to))
    }
    document.addEventListener("keydown", pressed)
    return () => document.removeEventListener("keydown", pressed)
  }, [id, step, last])
  const past = of.turns.slice(0, step)
  const files = filesOf({ ...of, turns: past })
  const isForgotten = past.some((turn) => turn.isForgotten)
  const { workspace } = of
  return html`<nav class="turn-steps" aria-label="Steps of the run">
      ${step > 1 ? html`<a href=${at(step - 1)} rel="prev">← Turn ${step - 1}</a>` : html`<span class="quiet">The first turn</span>`}
      <b role="status">Turn ${step} of ${last}</b>
      ${step < last ? html`<a href=${at(step + 1)} rel="next">Turn ${step + 1} →</a>` : html`<span class="quiet">The last turn</span>`}
      <a href=${href("run", { id })}>All turns</a></nav>
    ${may("runs.turn") && html`<${WhatItSaw} id=${id} turn=${step} />`}
    <${Turns} of=${of.turns.slice(step - 1, step)} />
    ${
      may("runs.turns") &&
      html`<section aria-label="Time, tokens and cost"><h2>Time, tokens and cost</h2>${whenThere(
        facts,
        (list) =>
          html`${list.turns[step - 1] !== undefined && html`<${Took} of=${list.turns[step - 1]} />`}<${SoFar} of=${list} step=${step} />`,
        3
      )}</section>`
    }
    <section aria-label="After this turn"><h2>Files changed so far</h2>
      ${files.length === 0 && html`<p class="quiet">${isForgotten ? "Which files changed so far is no longer known: that is forgotten a day after the run." : "No files changed so far."}</p>`}
      <ul class="plain changes">${files.map(({ path, status }) => html`<li key=${path}><span class=${`status ${status}`}>${status}</span> <span class="path"><${Text} of=${path} /></span></li>`)}</ul></section>
    ${workspace !== undefined && may("workspaces.tree") && html`<section aria-label="All files"><h2>All files after this turn</h2><${FilesAfter} key=${step} run=${id} workspace=${workspace} of=${of} step=${step} /></section>`}
    ${may("events.newestEvents") && html`<p class="note">Each step is <a href=${href("events", {}, { stream: `chat-${id}` })}>in the log</a>.</p>`}`
}
