import { useState } from "preact/hooks"
import type { AsOf, AsOfList } from "../../../clients/typescript/src/index.ts"
import { placeIn } from "../events/asked.ts"
import { html, type Node } from "../html.ts"
import { useEvery } from "../live/useEvery.ts"
import { useLoaded } from "../loading.ts"
import { Button } from "../parts/Button.ts"
import { Confirm } from "../parts/Confirm.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { valueOf } from "../parts/valueOf.ts"
import { href } from "../router.ts"
import { failure, may, session } from "../session.ts"
import { bytesIn } from "../workspaces/bytes.ts"

/** Milliseconds between looks: one may be in the making. */
const pause = 4_000

const system = () => session.value!.cairn.system

/** Asks for a position or time, and has the read models made as they were then. */
const Make = ({ again }: { readonly again: () => void }): Node => {
  const [at, setAt] = useState("")
  const [problem, setProblem] = useState("")
  const [busy, setBusy] = useState(false)
  const make = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblem("")
    try {
      await system().makeAsOf(placeIn(at))
      setAt("")
    } catch (error) {
      setProblem(failure(error))
    }
    setBusy(false)
    again()
  }
  return html`<form class="filters" onSubmit=${make}>
    <label>As of <input required value=${at} placeholder="a position, or 2026-01-31 12:00" autocomplete="off" spellcheck="false" onInput=${(event: Event) => setAt(valueOf(event))} /></label>
    <${Button} class="small" busy=${busy}>${busy ? "…" : "Make"}<//>
    ${problem && html`<p class="problem" role="alert"><${Text} of=${problem} /></p>`}</form>`
}

const State = ({ of }: { readonly of: AsOf }): Node => {
  const part = Math.floor(of.progress * 100)
  if (of.state === "making")
    return html`<span class="comparing"><progress max="100" value=${part} aria-label=${`Making position ${of.position}`} /> <span class="quiet">${part} %</span></span>`
  if (of.state === "made")
    return html`<span class="status completed">made</span> ${of.endedAt === null ? html`<small class="quiet">by the command line</small>` : html`<small class="quiet"><${Time} at=${of.endedAt} /></small>`}`
  return html`<span class="status failed">${of.state === "failed" ? "failed" : "interrupted"}</span>
    ${of.fault !== null && html` <small><${Text} of=${of.fault} /></small>`}`
}

const sum = (of: AsOf, what: "rows" | "bytes") => of.tables.reduce((all, table) => all + table[what], 0)

const Row = ({ of, again }: { readonly of: AsOf; readonly again: () => void }): Node => {
  const drop = async () => {
    await system().dropAsOf(of.position)
    again()
  }
  const isMaking = of.state === "making"
  return html`<tr><th scope="row">${
    of.state === "made" && may("asOf.asOfRows")
      ? html`<a href=${href("asOf", { position: of.position })} aria-label=${`Open position ${of.position}`}><code>${of.position}</code></a>`
      : html`<code>${of.position}</code>`
  }</th>
    <td>${of.recordedAt === null ? html`<span class="quiet">before the first event</span>` : html`<${Time} at=${of.recordedAt} />`}</td>
    <td><${State} of=${of} /></td>
    <td class="number">${isMaking ? "–" : sum(of, "rows").toLocaleString("en")}</td>
    <td class="number">${isMaking ? "–" : bytesIn(sum(of, "bytes"))}</td>
    <td><div class="compared"><span /><${Confirm} label=${isMaking ? "Stop…" : "Drop…"} of=${of.position} title=${`${isMaking ? "Stop making" : "Drop"} position ${of.position}`}
      action=${isMaking ? "Stop" : "Drop"} grave=${!isMaking} needs="asOf.dropAsOf" does=${drop}>
      <p>The copy's tables are removed. The live read models do not change, and the copy can be made again.</p><//></div></td></tr>`
}

const Sheet = ({ of, again }: { readonly of: AsOfList; readonly again: () => void }): Node => {
  const isBusy = of.asOf.some(({ state }) => state === "making")
  const isFull = of.asOf.length >= of.most
  return html`${
    of.asOf.length === 0
      ? html`<p class="note">No copies yet. Make one to see what was known at a position of the log or at a time.</p>`
      : html`<div class="scrolled" tabindex="0" role="region" aria-label="As of a time"><table>
        <thead><tr><th scope="col">Position</th><th scope="col">Recorded up to</th><th scope="col">State</th><th scope="col" class="number">Rows</th>
          <th scope="col" class="number">Size</th><th scope="col"><span class="spoken">Actions</span></th></tr></thead>
        <tbody>${of.asOf.map((one) => html`<${Row} key=${one.position} of=${one} again=${again} />`)}</tbody></table></div>`
  }
  ${
    may("asOf.makeAsOf") &&
    (isFull
      ? html`<p class="note">There can be no more than ${of.most} copies: drop one to make another.</p>`
      : !isBusy && html`<${Make} again=${again} />`)
  }`
}

/** Read models as they were: the kept ones, and the buttons that make, show and remove them. */
export const AsOfs = (): Node => {
  const loaded = useLoaded("as of", ({ cairn }, signal) => cairn.system.asOfs({ signal }))
  const [, again] = loaded
  useEvery(pause, again)
  return html`<section class="as-of"><h2>As of a time</h2>
    <p class="description quiet">Copies of all read models as they were at a position, beside the live ones. None has erased text: an erasure removes all copies made before it.</p>
    ${whenThere(loaded, (list) => html`<${Sheet} of=${list} again=${again} />`, 2)}</section>`
}
