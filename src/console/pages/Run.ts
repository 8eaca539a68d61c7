import { useEffect, useState } from "preact/hooks"
import type { Run } from "../../../clients/typescript/src/index.ts"
import { lasted, toolsIn } from "../chat/figures.ts"
import { filesOf, type Heard, useRun } from "../chat/follow.ts"
import { Replay, stepIn } from "../chat/Replay.ts"
import { Turns } from "../chat/Turns.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Button } from "../parts/Button.ts"
import { Long } from "../parts/Long.ts"
import { Failed, Waiting } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href, route } from "../router.ts"
import { failure, may, session } from "../session.ts"
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
  return html`<${Button} type="button" class="grave" busy=${said === "Stopping…"} onClick=${stop}>${said === "Stopping…" ? said : "Stop"}<//>
    <span role="status">${said !== "Stopping…" && html`<${Text} of=${said} />`}</span>`
}

const failures: { readonly [why: string]: string } = {
  model: "The model did not answer.",
  max_turns: "The chat used all of its turns.",
  interrupted: "The service stopped too often during the chat.",
  revoked: "The key that started the chat was revoked.",
  bound: "The chat reached a bound of the organization or its key.",
  cancelled: "The chat was stopped."
}

/**
 * The run's state: as it was when this page was opened, until its turns or its end come; `undefined`: not known yet.
 */
const stateOf = ({ run, turns }: Heard, asked: Run | undefined): string | undefined =>
  run?.state ?? (turns.length > 0 && asked?.state === "waiting" ? "running" : asked?.state)

const State = ({ of }: { readonly of: string | undefined }): Node =>
  html`<span class=${`status ${of ?? ""}`} role="status">${of}</span>`

/** The run goes on meanwhile, unheard. */
const Cut = ({ why, again }: { readonly why: string; readonly again: () => void }): Node =>
  html`<p class="note warn" role="status">The connection was lost. Reconnecting automatically. <span class="quiet"><${Text} of=${why} /></span> <button type="button" class="small" onClick=${again}>Try now</button></p>`

const Side = ({ of, workspace }: { readonly of: Heard; readonly workspace: string }): Node => {
  const files = filesOf(of)
  const isForgotten = of.turns.some((turn) => turn.isForgotten)
  const { run } = of
  return html`<aside aria-label="What the chat did">
    <section><h2>Files</h2>
      ${files.length === 0 && html`<p class="quiet">${isForgotten ? "Which files changed is no longer known." : `No files changed${run === undefined ? " yet" : ""}.`}</p>`}
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
          <li>Tools: ${toolsIn(run.tools)}</li>
          <li>Requested: <${Time} at=${run.requestedAt} /></li>
          ${run.endedAt !== null && html`<li>Ended: <${Time} at=${run.endedAt} />, after ${lasted(run.requestedAt, run.endedAt)}</li>`}
          ${run.answer && run.answer.commit !== "" && html`<li>Commit: <a href=${href("commit", { id: workspace, sha: run.answer.commit })}><code>${run.answer.commit.slice(0, 12)}</code></a></li>`}`
      }
      <li><a href=${href("workspace", { id: workspace })}>Open workspace</a></li>
    </ul></section></aside>`
}

/** What there is to say besides the last turn's text. */
const Answer = ({ of: { run, turns } }: { readonly of: Heard }): Node => {
  if (run?.answer == null) return null
  const { success, error } = run.answer
  const output = run.answer.output.trim() === turns.at(-1)?.text.trim() ? "" : run.answer.output
  if (success && output === "") return null
  return html`<section class=${success ? "answer" : "answer failed"} aria-label="Answer">
    ${!success && html`<h2>${failures[run.failure ?? ""] ?? "The chat did not finish."}</h2>`}
    ${output !== "" && html`<p><${Long} of=${output} /></p>`}
    ${error !== "" && html`<p class="quiet"><${Long} of=${error} /></p>`}</section>`
}

/** One chat, while it runs or after it: turns, tools, files and the answer. */
export const RunPage = (): Node => {
  const { parameters, query } = route.value
  const id = parameters["id"]!
  const [{ heard, problem, cut }, listen] = useRun(id)
  const [asked, ask] = useLoaded(id, ({ cairn }, signal) => cairn.runs.get(id, { signal }))
  const then = asked.value
  const task = heard.run?.task ?? then?.task
  const isGoingOn = heard.run === undefined && then?.endedAt === null
  const facts = useLoaded(heard.run !== undefined && may("runs.turns") ? id : undefined, ({ cairn }, signal) =>
    cairn.runs.turns(id, { signal })
  )
  // while it runs, its end is shown
  const step = heard.run === undefined ? undefined : stepIn(query.get("turn"), heard.turns.length)
  const called = `Chat ${id.slice(0, 8)}`
  useTitle(step === undefined ? called : `Turn ${step} · ${called}`)
  const again = () => {
    listen()
    if (asked.state === "failed") ask()
  }
  const isCut = cut !== undefined
  useEffect(() => {
    if (!isCut && asked.state === "failed" && heard.workspace !== undefined) ask()
  }, [isCut, heard.workspace])
  if (problem !== undefined && heard.workspace === undefined)
    return html`<div class="page"><h1 class="spoken">Chat</h1><${Failed} ...${problem} again=${again} /></div>`
  return html`<div class="page run">
    <header class="title">${may("chat.chat") && html`<p class="crumbs"><a href=${href("chat")}>Chat</a></p>`}
      <h1>Chat <${State} of=${isCut && then?.endedAt == null ? "reconnecting" : stateOf(heard, then)} /></h1>
      <div class="actions">${isGoingOn && may("runs.cancel") && html`<${Stop} id=${id} />`}
        ${heard.run !== undefined && heard.turns.length > 0 && step === undefined && html`<a class="button" href=${href("run", { id }, { turn: 1 })}>Step by step</a>`}</div></header>
    <div class="sheet">
      <div class="text-column" aria-busy=${heard.run === undefined}>
        ${task !== undefined && html`<section class="task" aria-label="Task"><h2>Task</h2><p class="said"><${Long} of=${task} /></p></section>`}
        ${heard.turns.length === 0 && heard.run === undefined && html`<${Waiting} lines=${3} />`}
        ${
          step === undefined
            ? html`<${Turns} of=${heard.turns} facts=${facts[0].state === "there" ? facts[0].value.turns : []} />`
            : html`<${Replay} id=${id} of=${heard} step=${step} facts=${facts} />`
        }
        ${heard.notes.map((note) => html`<p class="note" key=${note}><${Text} of=${note} /></p>`)}
        ${isCut && html`<${Cut} why=${cut} again=${again} />`}
        ${!isCut && problem === undefined && heard.run === undefined && asked.state === "failed" && html`<${Failed} ...${asked} again=${ask} />`}
        ${problem !== undefined && html`<${Failed} why="other" message=${`The connection was lost: ${problem.message}`} again=${again} />`}
        ${(step === undefined || step === heard.turns.length) && html`<${Answer} of=${heard} />`}
      </div>
      ${heard.workspace !== undefined && html`<${Side} of=${heard} workspace=${heard.workspace} />`}
    </div></div>`
}
