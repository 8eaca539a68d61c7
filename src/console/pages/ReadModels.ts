import { useEffect, useState } from "preact/hooks"
import type { ServiceStatus } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useEvery } from "../live/useEvery.ts"
import { useLoaded } from "../loading.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Lags, type Sample } from "../readModels/Lags.ts"
import { useTitle } from "../title.ts"

const pause = 2_000
/** Looks that are kept: ten minutes of them. */
const kept = 300

interface Row {
  readonly name: string
  readonly what: string
  readonly position: string | null
  readonly lag: number | null
  readonly fault: string | null
}

const rowsOf = ({ readModels, reactions, search }: ServiceStatus) => ({
  models: [
    ...readModels.map(({ version, ...one }): Row => ({ ...one, what: `version ${version}` })),
    {
      ...search,
      name: "snippet index",
      what: search.snippets === null ? "elsewhere" : `${search.snippets.toLocaleString("en")} snippets`
    }
  ],
  reactions: reactions.map(({ lag, ...one }): Row => ({ ...one, lag, position: null, what: "" }))
})

const stateOf = ({ lag, fault }: Row): readonly [string, string] => {
  if (fault !== null) return ["failed", "stopped"]
  if (lag === null) return ["running", "not made yet"]
  return lag === 0 ? ["completed", "up to date"] : ["running", `${lag.toLocaleString("en")} behind`]
}

const Table = ({
  title,
  rows,
  samples,
  places
}: {
  readonly title: string
  readonly rows: ReadonlyArray<Row>
  readonly samples: ReadonlyArray<Sample>
  readonly places: boolean
}): Node => html`<section><h2>${title}</h2><div class="scrolled" tabindex="0" role="region" aria-label=${title}><table>
  <thead><tr><th scope="col">Name</th>${places && html`<th scope="col"></th><th scope="col" class="number">Position</th>`}<th scope="col">State</th><th scope="col">Behind, so far</th></tr></thead>
  <tbody>${rows.map((row) => {
    const [mark, said] = stateOf(row)
    return html`<tr key=${row.name}><th scope="row">${row.name.replace(/_?[0-9a-f]{16}$/, "").replaceAll("_", " ")}</th>
      ${places && html`<td class="quiet">${row.what}</td><td class="number"><code>${row.position ?? "–"}</code></td>`}
      <td><span class=${`status ${mark}`}>${said}</span>${row.fault !== null && html` <${Text} of=${row.fault} />`}</td>
      <td><${Lags} of=${samples} name=${row.name} /></td></tr>`
  })}</tbody></table></div></section>`

const Sheet = ({ status }: { readonly status: ServiceStatus }): Node => {
  const [samples, setSamples] = useState<ReadonlyArray<Sample>>([])
  const { models, reactions } = rowsOf(status)
  useEffect(() => {
    const lags = new Map([...models, ...reactions].map(({ name, lag }) => [name, lag ?? 0]))
    setSamples((before) => [...before.slice(1 - kept), { at: Date.now(), lags }])
  }, [status])
  return html`<p class="description quiet">What is read is folded from the log, whose head is at <code>${status.head}</code>. What is behind counts positions; it is watched for as long as this page is open.</p>
    ${status.missing.length > 0 && html`<p class="note warn">Away at the moment: ${status.missing.join(", ")}. It is taken up again by itself.</p>`}
    <${Table} title="Read models" rows=${models} samples=${samples} places />
    <${Table} title="What follows from events" rows=${reactions} samples=${samples} places=${false} />
    <p class="note">To compare one with a new one, or to make them as of a time: <code>cairn replay --verify</code> and <code>--as-of</code>, where the service runs.</p>`
}

/** How far each read model is, and goes on to be. */
export const ReadModels = (): Node => {
  useTitle("Read models")
  const loaded = useLoaded("read models", ({ cairn }, signal) => cairn.system.status({ signal }))
  useEvery(pause, loaded[1])
  return html`<div class="page read-models"><header class="title"><h1>Read models</h1></header>
    ${whenThere(loaded, (status) => html`<${Sheet} status=${status} />`, 8)}</div>`
}
