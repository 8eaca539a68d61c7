import { useState } from "preact/hooks"
import { filesOf, type Heard, useRun } from "../chat/follow.ts"
import { Replay, stepIn } from "../chat/Replay.ts"
import { Turns } from "../chat/Turns.ts"
import { html, type Node } from "../html.ts"
import { Failed, Waiting } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href, route } from "../router.ts"
import { failure, mayWrite, session } from "../session.ts"
import { useTitle } from "../title.ts"

const Stop = ({ id }: { readonly id: string }): Node => {
  const [said, setSaid] = useState("")
  const stop = async () => {
    setSaid("Stopping…")
    try {
      await session.value!.cairn.runs.cancel(id)
    } catch (error) {
      setSaid(failure(error))
    }
  }
  return html`<button type="button" class="grave" disabled=${said === "Stopping…"} onClick=${stop}>${said === "Stopping…" ? said : "Stop"}</button>
    <span role="status">${said !== "Stopping…" && html`<${Text} of=${said} />`}</span>`
}

const failures: { readonly [why: string]: string } = {
  model: "The model did not answer.",
  max_turns: "It took as many turns as it may.",
  interrupted: "The service was stopped too often while it ran.",
  revoked: "The key that asked for it was revoked.",
  bound: "It came to a bound of the organization or its key.",
  cancelled: "It was stopped."
}

const State = ({ of: { run } }: { readonly of: Heard }): Node => {
  const state = run?.state ?? "running"
  return html`<span class=${`status ${state}`} role="status">${state}</span>`
}

const Side = ({ of, workspace }: { readonly of: Heard; readonly workspace: string }): Node => {
  const files = filesOf(of)
  const isForgotten = of.turns.some((turn) => turn.isForgotten)
  const { run } = of
  return html`<aside aria-label="What it did">
    <section><h2>Files</h2>
      ${files.length === 0 && html`<p class="quiet">${isForgotten ? "Which ones changed is not known any more." : `None changed${run === undefined ? " yet" : ""}.`}</p>`}
      <ul class="plain changes">${files.map(
        ({ path, status }) => html`<li key=${path}><span class=${`status ${status}`}>${status}</span>
          <a class="path" href=${href("files", { id: workspace }, { path, at: run?.answer?.commit })}><${Text} of=${path} /></a></li>`
      )}</ul></section>
    <section><h2>Facts</h2><ul class="facts-list">
      <li>Model: <${Text} of=${of.model} /></li>
      ${
        run !== undefined &&
        html`<li>Turns: ${run.turns} of ${run.maxTurns}</li>
          <li>Tokens: ${run.usage.inputTokens.toLocaleString("en")} read, ${run.usage.outputTokens.toLocaleString("en")} written</li>
          <li>Asked: <${Time} at=${run.requestedAt} /></li>
          ${run.endedAt !== null && html`<li>Ended: <${Time} at=${run.endedAt} /></li>`}
          ${run.answer && run.answer.commit !== "" && html`<li>Commit: <a href=${href("commit", { id: workspace, sha: run.answer.commit })}><code>${run.answer.commit.slice(0, 12)}</code></a></li>`}`
      }
      <li><a href=${href("workspace", { id: workspace })}>The workspace</a></li>
    </ul></section></aside>`
}

/** What there is to say besides what the last turn said. */
const Answer = ({ of: { run, turns } }: { readonly of: Heard }): Node => {
  if (run?.answer == null) return null
  const { success, error } = run.answer
  const output = run.answer.output.trim() === turns.at(-1)?.text.trim() ? "" : run.answer.output
  if (success && output === "") return null
  return html`<section class=${success ? "answer" : "answer failed"} aria-label="Answer">
    ${!success && html`<h2>${failures[run.failure ?? ""] ?? "It did not come to its end."}</h2>`}
    ${output !== "" && html`<p><${Text} of=${output} lines /></p>`}
    ${error !== "" && html`<p class="quiet"><${Text} of=${error} lines /></p>`}</section>`
}

/** One chat, as it goes on or as it went: turns, tools, files and the answer. */
export const RunPage = (): Node => {
  const { parameters, query } = route.value
  const id = parameters["id"]!
  useTitle("Chat")
  const { heard, problem } = useRun(id)
  // while it goes on, its end is what there is to see
  const step = heard.run === undefined ? undefined : stepIn(query.get("turn"), heard.turns.length)
  const again = () => window.location.reload()
  if (problem !== undefined && heard.workspace === undefined)
    return html`<div class="page"><${Failed} ...${problem} again=${again} /></div>`
  return html`<div class="page run">
    <header class="title"><p class="crumbs"><a href=${href("chat")}>Chat</a></p>
      <h1>Chat <${State} of=${heard} /></h1>
      <div class="actions">${heard.run === undefined && heard.workspace !== undefined && mayWrite.value && html`<${Stop} id=${id} />`}
        ${heard.run !== undefined && heard.turns.length > 0 && step === undefined && html`<a class="button" href=${href("run", { id }, { turn: 1 })}>Step by step</a>`}</div></header>
    <div class="sheet">
      <div class="text-column" aria-busy=${heard.run === undefined}>
        ${heard.turns.length === 0 && heard.run === undefined && html`<${Waiting} lines=${3} />`}
        ${
          step === undefined
            ? html`<${Turns} of=${heard.turns} />`
            : html`<${Replay} id=${id} of=${heard} step=${step} />`
        }
        ${heard.notes.map((note) => html`<p class="note" key=${note}><${Text} of=${note} /></p>`)}
        ${problem !== undefined && html`<${Failed} why="other" message=${`The connection is cut: ${problem.message}`} again=${again} />`}
        ${(step === undefined || step === heard.turns.length) && html`<${Answer} of=${heard} />`}
      </div>
      ${heard.workspace !== undefined && html`<${Side} of=${heard} workspace=${heard.workspace} />`}
    </div></div>`
}
