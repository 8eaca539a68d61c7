import { useState } from "preact/hooks"
import { Actor } from "../events/Actor.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { hintOf } from "../overview/sentence.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href } from "../router.ts"
import type { Names } from "../usage/names.ts"
import { retrievalsOf } from "./found.ts"

/** Searches that are looked through: the newest. */
const looked = 1_000

const Found = ({ id, names }: { readonly id: string; readonly names: Names["names"] }): Node => {
  const loaded = useLoaded(id, ({ cairn }, signal) =>
    cairn.system.newestEvents({ type: "SearchAnswered", limit: looked }, { signal })
  )
  return whenThere(
    loaded,
    ({ events }) => {
      const found = retrievalsOf(id, events)
      const all = events.length < looked
      const which = all ? "the searches in the log" : `the last ${looked.toLocaleString("en")} searches`
      if (found.length === 0) return html`<p class="note">None of ${which} found it.</p>`
      return html`<p class="note">${found.length.toLocaleString("en")} of ${which} found it.</p>
        <div class="scrolled" tabindex="0" role="region" aria-label="Searches that found it"><table>
          <thead><tr><th>Task</th><th>Place</th><th>Score</th><th>By</th><th>When</th></tr></thead>
          <tbody>${found.slice(0, 50).map(({ event, place, score }) => {
            const task = hintOf(event)
            return html`<tr key=${event.eventId}>
              <td class="path">${task === "" ? html`<span class="quiet">not kept</span>` : html`<${Text} of=${task} />`}</td>
              <td>${place}</td><td>${score?.toFixed(2)}</td>
              <td><${Actor} of=${event.actor} names=${names} /></td>
              <td><a class="quiet" href=${href("event", { position: event.position })}><${Time} at=${event.recordedAt} /></a></td></tr>`
          })}</tbody></table></div>
        ${found.length > 50 && html`<p class="note">The latest 50 of them.</p>`}`
    },
    3
  )
}

/** Which searches found a snippet; looked through when somebody asks, for they are many. */
export const Retrievals = (of: { readonly id: string; readonly names: Names["names"] }): Node => {
  const [asked, ask] = useState(false)
  return html`<section><h2>Where it was found</h2>
    ${asked ? html`<${Found} ...${of} />` : html`<p><button type="button" class="small" onClick=${() => ask(true)}>Look through the last searches</button></p>`}</section>`
}
