import { useState } from "preact/hooks"
import type { Replay } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Confirm } from "../parts/Confirm.ts"
import { number } from "../parts/figures.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { failure, may, session } from "../session.ts"

const Running = ({ of }: { readonly of: Replay }): Node => {
  const part = of.progress === null ? undefined : Math.floor(of.progress * 100)
  const doing = of.promote ? "Rebuilding" : "Comparing"
  return html`<span class="comparing"><progress max="100" value=${part} aria-label=${`${doing} ${of.readModel}`} />
    <span class="quiet">${part === undefined ? "starting" : `${part} %`}, ${number(of.events)} events</span></span>`
}

/** The result of the last replay, in words. */
const Result = ({ of }: { readonly of: Replay }): Node => {
  const differing = of.differences.reduce((sum, { rows }) => sum + rows, 0)
  // at most 50 are looked at, in all tables together
  const more = differing >= 50 ? " or more" : ""
  const [mark, said] =
    of.state === "failed"
      ? ["failed", "failed"]
      : of.state === "cancelled"
        ? ["cancelled", "cancelled"]
        : of.state === "broken_off"
          ? ["failed", "interrupted"]
          : differing === 0
            ? ["completed", of.promote ? "rebuilt, no differences" : "matches the log"]
            : ["failed", `${of.promote ? "rebuilt, differed" : "differs"} in ${number(differing)} rows${more}`]
  const tables = of.differences.map(({ table, rows }) => `${table}: ${number(rows)}${more}`)
  return html`<span><span class=${`status ${mark}`}>${said}</span> <small class="quiet"><${Time} at=${of.endedAt ?? of.startedAt} /></small>
    ${tables.length > 0 && html` <small><${Text} of=${tables.join(", ")} /></small>`}
    ${of.fault !== null && html` <small><${Text} of=${of.fault} /></small>`}</span>`
}

/** The last comparison of a read model with the log, and the buttons that start and stop one. */
export const Compared = ({
  name,
  replays,
  again
}: {
  readonly name: string
  readonly replays: ReadonlyArray<Replay>
  readonly again: () => void
}): Node => {
  const [problem, setProblem] = useState("")
  const last = replays.find(({ readModel }) => readModel === name)
  const isRunning = last?.state === "running"
  const isBusy = replays.some(({ state }) => state === "running")
  const called = name.replaceAll("_", " ")
  const act = async (does: () => Promise<unknown>) => {
    setProblem("")
    try {
      await does()
    } catch (error) {
      setProblem(failure(error))
    }
    again()
  }
  const { system } = session.value!.cairn
  return html`<div class="compared">
    ${isRunning ? html`<${Running} of=${last} />` : last === undefined ? html`<span class="quiet">not yet</span>` : html`<${Result} of=${last} />`}
    ${
      isRunning
        ? may("replays.cancelReplay") &&
          html`<button type="button" class="small" aria-label=${`Cancel ${called}`} onClick=${() => act(() => system.cancelReplay(name))}>Cancel</button>`
        : may("replays.replay") &&
          !isBusy &&
          html`<button type="button" class="small" aria-label=${`Verify ${called}`} onClick=${() => act(() => system.replay(name))}>Verify</button>
          <${Confirm} label="Rebuild…" of=${called} title=${`Rebuild ${called}`} action="Rebuild" grave=${false} needs="replays.replay"
            does=${async () => {
              await system.replay(name, { promote: true })
              again()
            }}><p>A new build is made from the log beside the live one, compared with it, and then put in its place. Reads are not affected.</p><//>`
    }
    ${problem && html`<p class="problem" role="alert"><${Text} of=${problem} /></p>`}</div>`
}
