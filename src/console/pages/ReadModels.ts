import { useLayoutEffect, useState } from "preact/hooks"
import type { Replay, ServiceStatus } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useEvery } from "../live/useEvery.ts"
import { useLoaded } from "../loading.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { AsOfs } from "../readModels/AsOfs.ts"
import { Compared } from "../readModels/Compared.ts"
import { Lags, type Sample } from "../readModels/Lags.ts"
import { may } from "../session.ts"
import { useTitle } from "../title.ts"
import { bytesIn } from "../workspaces/bytes.ts"

/** Milliseconds between looks. Each takes two requests, and a key may make a hundred a minute. */
const pause = 5_000
/** How many looks are kept: ten minutes of them. */
const looks = 120

interface Row {
  readonly name: string
  readonly what: string
  readonly position: string | null
  readonly lag: number | null
  readonly fault: string | null
  /** Only read models have it: they can be compared. */
  readonly rows?: number | null
  readonly bytes?: number | null
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
  if (lag === null) return ["running", "not built yet"]
  return lag === 0 ? ["completed", "up to date"] : ["running", `${lag.toLocaleString("en")} behind`]
}

/** What is known of read models only. */
interface Kept {
  readonly replays: ReadonlyArray<Replay>
  readonly again: () => void
}

const known = (number: number | null | undefined, said: (number: number) => string): string =>
  number === null || number === undefined ? "–" : said(number)

const Heads = ({ kept }: { readonly kept: boolean }): Node => html`<thead><tr><th scope="col">Name</th>
  ${kept && html`<th scope="col" class="quiet"><span class="spoken">Details</span></th>`}<th scope="col">State</th>
  ${kept && html`<th scope="col" class="number">Rows (about)</th><th scope="col" class="number">Size</th><th scope="col" class="number place">Position</th>`}
  <th scope="col">Behind, so far</th>${kept && html`<th scope="col">Compared with the log</th>`}</tr></thead>`

const Table = ({
  title,
  rows,
  samples,
  kept
}: {
  readonly title: string
  readonly rows: ReadonlyArray<Row>
  readonly samples: ReadonlyArray<Sample>
  readonly kept?: Kept
}): Node => html`<section><h2>${title}</h2><div class="scrolled" tabindex="0" role="region" aria-label=${title}><table>
  <${Heads} kept=${kept !== undefined} />
  <tbody>${rows.map((row) => {
    const [mark, said] = stateOf(row)
    return html`<tr key=${row.name}><th scope="row">${row.name.replace(/_?[0-9a-f]{16}$/, "").replaceAll("_", " ")}</th>
      ${kept && html`<td class="quiet">${row.what}</td>`}
      <td><span class=${`status ${mark}`}>${said}</span>${row.fault !== null && html` <${Text} of=${row.fault} />`}</td>
      ${
        kept &&
        html`<td class="number">${known(row.rows, (rows) => rows.toLocaleString("en"))}</td>
        <td class="number">${known(row.bytes, bytesIn)}</td><td class="number place"><code>${row.position ?? "–"}</code></td>`
      }
      <td><${Lags} of=${samples} name=${row.name} /></td>
      ${kept && html`<td>${row.rows !== undefined && html`<${Compared} name=${row.name} ...${kept} />`}</td>`}</tr>`
  })}</tbody></table></div></section>`

const Sheet = ({ status, kept }: { readonly status: ServiceStatus; readonly kept: Kept }): Node => {
  const [samples, setSamples] = useState<ReadonlyArray<Sample>>([])
  const { models, reactions } = rowsOf(status)
  // before anything is painted: a row is not to say that it is behind beside a line that was never
  useLayoutEffect(() => {
    const lags = new Map([...models, ...reactions].map(({ name, lag }) => [name, lag ?? 0]))
    setSamples((before) => [...before.slice(1 - looks), { at: Date.now(), lags }])
  }, [status])
  return html`<p class="description quiet">Read models are folded from the log, whose head is at <code>${status.head}</code>. How far they are behind is counted in positions, and watched while this page is open.</p>
    ${status.missing.length > 0 && html`<p class="note warn">Unavailable: ${status.missing.join(", ")}. The service reconnects automatically.</p>`}
    <${Table} title="Read models" rows=${models} samples=${samples} kept=${kept} />
    <${Table} title="Reactions" rows=${reactions} samples=${samples} />
    ${may("asOf.asOfs") && html`<${AsOfs} />`}`
}

/** How far each read model is, updated as it goes on, and whether it is what the log says. */
export const ReadModels = (): Node => {
  useTitle("Read models")
  const loaded = useLoaded("read models", async ({ cairn: { system } }, signal) => {
    const [status, { replays }] = await Promise.all([system.status({ signal }), system.replays({ signal })])
    return { status, replays }
  })
  const [, again] = loaded
  useEvery(pause, again)
  return html`<div class="page read-models"><header class="title"><h1>Read models</h1></header>
    ${whenThere(loaded, ({ status, replays }) => html`<${Sheet} status=${status} kept=${{ replays, again }} />`, 8)}</div>`
}
