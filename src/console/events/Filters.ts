import { useEffect, useState } from "preact/hooks"
import { html, type Node } from "../html.ts"
import { useSettled } from "../parts/useSettled.ts"
import { valueOf } from "../parts/valueOf.ts"
import { go, href } from "../router.ts"
import { plain } from "../visible.ts"
import { type Asked, placeIn, queryOf } from "./asked.ts"
import { eventTypes } from "./types.ts"

/** The filters of the events, and the place in the log. */
export const Filters = ({
  asked,
  actors
}: {
  readonly asked: Asked
  readonly actors: ReadonlyArray<readonly [id: string, name: string]>
}): Node => {
  const [place, setPlace] = useState(asked.asOf)
  useEffect(() => setPlace(asked.asOf), [asked.asOf])
  // what somebody types stays while events come
  const [stream, setStream] = useState(asked.stream)
  useEffect(() => setStream(asked.stream), [asked.stream])
  const to = (part: Partial<Asked>, replace = false) => go(href("events", {}, queryOf({ ...asked, ...part })), replace)
  // of several choices, only the first is a step in the tab's history
  const [type, chooseType] = useSettled(asked.type, (type) => to({ type }, asked.type !== ""))
  const [actor, chooseActor] = useSettled(asked.actor, (actor) => to({ actor }, asked.actor !== ""))
  const jump = (event: Event) => {
    event.preventDefault()
    to({ asOf: placeIn(place), oldest: false })
  }
  const known = asked.actor === "" || actors.some(([id]) => id === asked.actor)
  return html`<form class="filters" role="search" onSubmit=${jump}>
    <label>Type <select value=${type} onChange=${(event: Event) => chooseType(valueOf(event))}>
      <option value="">any</option>
      ${!eventTypes.includes(asked.type) && asked.type !== "" && html`<option value=${asked.type}>${plain(asked.type)}</option>`}
      ${eventTypes.map((type) => html`<option key=${type} value=${type}>${type}</option>`)}</select></label>
    <label>By <select value=${actor} onChange=${(event: Event) => chooseActor(valueOf(event))}>
      <option value="">anyone</option>
      ${!known && html`<option value=${asked.actor}>${plain(asked.actor)}</option>`}
      ${actors.map(([id, name]) => html`<option key=${id} value=${id}>${plain(name)}</option>`)}</select></label>
    <label>Stream <input value=${stream} placeholder="any" autocomplete="off" spellcheck="false" onInput=${(event: Event) => setStream(valueOf(event))}
      onChange=${(event: Event) => to({ stream: valueOf(event).trim() })} /></label>
    <label>At <input class="place" value=${place} placeholder="a position, or 2026-01-31 12:00" autocomplete="off" spellcheck="false" onInput=${(event: Event) => setPlace(valueOf(event))} /></label>
    <button class="small">Jump</button>
    ${asked.asOf !== "" && html`<a href=${href("events", {}, queryOf({ ...asked, asOf: "" }))}>Go to newest</a>`}
  </form>`
}
