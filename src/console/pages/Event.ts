import type { AuditedEvent, RecordedEvent } from "../../../clients/typescript/src/index.ts"
import { Code } from "../code/Code.ts"
import { Actor } from "../events/Actor.ts"
import { Causes } from "../events/Causes.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { pageOf, sentenceOf } from "../overview/sentence.ts"
import { Copy } from "../parts/Copy.ts"
import { Long } from "../parts/Long.ts"
import { wholePage } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { href, route } from "../router.ts"
import { useTitle } from "../title.ts"
import { useNames } from "../usage/names.ts"
import { plain } from "../visible.ts"

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const Intact = ({ of }: { readonly of: boolean | null }): Node => {
  if (of === null) return html`<span class="quiet">no digest was kept</span>`
  return of
    ? html`<span class="status completed">as it was written</span>`
    : html`<span class="status errored">not as it was written</span>`
}

const Envelope = ({ of, intact }: { readonly of: RecordedEvent; readonly intact: boolean | null }): Node => {
  const { names } = useNames()
  const rows: ReadonlyArray<readonly [string, unknown]> = [
    ["Position", html`<code>${of.position}</code>`],
    ["Type", html`<code>${of.type}</code>, version ${of.schemaVersion}`],
    [
      "Stream",
      html`<a href=${href("events", {}, { stream: of.stream, order: "oldest" })}><code><${Text} of=${of.stream} /></code></a>, event ${of.revision}`
    ],
    ["Recorded", html`<${Time} at=${of.recordedAt} /> <code class="quiet">${of.recordedAt}</code>`],
    ["By", html`<${Actor} of=${of.actor} names=${names} />`],
    ["Key", of.actor.keyId],
    ["Event", of.eventId],
    ["Command", of.commandId],
    ["Correlation", of.correlationId],
    ["Caused by", of.causationId ?? html`<span class="quiet">a request</span>`],
    ["Request", of.requestId],
    ["Trace", of.traceId]
  ]
  return html`<section><h2>Envelope</h2><dl class="envelope">
    ${rows.map(([name, value]) => value !== null && html`<div key=${name}><dt>${name}</dt><dd>${typeof value === "string" ? html`<code>${value}</code>` : value}</dd></div>`)}
    <div><dt>Stored</dt><dd><${Intact} of=${intact} /></dd></div></dl></section>`
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0)

/** The most characters for a text that is no plain text to have numbered lines and colours. */
const mostOfCode = 200_000

const Field = ({ name, value }: { readonly name: string; readonly value: unknown }): Node => {
  const text = typeof value === "string" ? value : json(value)
  const isCode = typeof value !== "string" && text.length <= mostOfCode
  return html`<div><dt>${name}</dt><dd>${isCode ? html`<${Code} source=${text} language="json" label=${name} />` : html`<${Long} of=${text} label=${name} />`}</dd></div>`
}

const Typed = ({ of }: { readonly of: AuditedEvent }): Node => {
  const text = of.event.data["text"]
  if (of.text === "none") return html`<p class="note">This event has no text.</p>`
  if (of.text === "erased" || typeof text !== "object" || text === null)
    return html`<p><span class="status deleted">erased</span> ${
      of.erasedBy === null
        ? html`<span class="quiet">for good</span>`
        : html`for good, by the event at <a href=${href("event", { position: of.erasedBy })}><code>${of.erasedBy}</code></a>`
    }</p>`
  const all = Object.entries(text)
  const empty = all.filter(([, value]) => isEmpty(value)).map(([name]) => plain(name))
  return html`<dl class="typed">${all
    .filter(([, value]) => !isEmpty(value))
    .map(([name, value]) => html`<${Field} key=${name} name=${plain(name)} value=${value} />`)}</dl>
    ${empty.length > 0 && html`<p class="quiet">Empty: ${empty.join(", ")}</p>`}`
}

const Sheet = ({ of }: { readonly of: AuditedEvent }): Node => {
  const { event } = of
  const { text: _text, ...data } = event.data
  const page = pageOf(event)
  useTitle(`${event.type} ${event.position}`)
  return html`<header class="title"><p class="crumbs"><a href=${href("events")}>Events</a> / <a href=${href("events", {}, { as_of: event.position })}>nearby events</a></p>
      <h1>${sentenceOf(event)}</h1>
      <div class="actions">${page !== undefined && of.text !== "erased" && html`<a class="button small" href=${page}>Open its page</a>`}<${Copy} text=${json(event)} label="Copy JSON" what="" /></div></header>
    <div class="text-column event-sheet"><${Envelope} of=${event} intact=${of.intact} />
      <section><h2>Data</h2><${Code} source=${json(data)} language="json" label="Data" /></section>
      <section><h2>Text</h2><${Typed} of=${of} /></section>
      <${Causes} of=${event} /></div>`
}

/** One event: its envelope, its data, the texts that it refers to, and what came before and after. */
export const EventPage = (): Node => {
  const position = route.value.parameters["position"]!
  useTitle("Event")
  const loaded = useLoaded(position, ({ cairn }, signal) => cairn.system.event(position, { signal }))
  return html`<div class="page">${wholePage("Event", loaded, (of) => html`<${Sheet} of=${of} />`, 10)}</div>`
}
