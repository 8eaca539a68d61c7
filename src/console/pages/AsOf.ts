import { useEffect, useState } from "preact/hooks"
import type { AsOf } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { More } from "../parts/More.ts"
import { type Page, usePages } from "../parts/pages.ts"
import { Empty, whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { useSettled } from "../parts/useSettled.ts"
import { valueOf } from "../parts/valueOf.ts"
import { go, href, route } from "../router.ts"
import { useTitle } from "../title.ts"

type Values = ReadonlyArray<string | null>

interface Seen extends Page<Values> {
  readonly columns: ReadonlyArray<string>
}

const Value = ({ of }: { readonly of: string | null }): Node =>
  of === null ? html`<span class="quiet">–</span>` : html`<${Text} of=${of} />`

/** The rows of a table as they were, page by page. */
const Rows = ({ position, table, id }: { position: string; table: string; id: string }): Node => {
  const list = usePages<Values, Seen>(`as of ${position} ${table} ${id}`, async ({ cairn }, cursor, signal) => {
    const asked = { cursor, ...(id !== "" && { id }) }
    const { columns, rows, nextCursor } = await cairn.system.asOfRows(position, table, asked, { signal })
    return { columns, rows, next: nextCursor }
  })
  const { first, rows } = list
  return html`${whenThere(first, ({ columns }) =>
    rows.length === 0
      ? html`<p class="note">${id === "" ? "The table had no rows then." : "The table had no row with this id then."}</p>`
      : html`<div class="scrolled" tabindex="0" role="region" aria-label=${table}><table>
        <thead><tr>${columns.map((column) => html`<th key=${column} scope="col">${column}</th>`)}</tr></thead>
        <tbody>${rows.map((row, place) => html`<tr key=${place}>${row.map((value, index) => html`<td key=${columns[index]}><div class="value"><${Value} of=${value} /></div></td>`)}</tr>`)}</tbody></table></div>`
  )}<${More} of=${list} />`
}

const tableOf = ({ tables }: AsOf, asked: string | null): string =>
  asked ?? (tables.find(({ rows }) => rows > 0) ?? tables[0])?.name ?? ""

const Sheet = ({ of }: { readonly of: AsOf }): Node => {
  const { query } = route.value
  const [table, id] = [tableOf(of, query.get("table")), query.get("id") ?? ""]
  const [wanted, setWanted] = useState(id)
  useEffect(() => setWanted(id), [id])
  const to = (part: { readonly table?: string; readonly id?: string }, replace = false) =>
    go(href("asOf", { position: of.position }, { table, id, ...part }), replace)
  // of several choices, only the first is a step in the tab's history
  const [chosen, choose] = useSettled(table, (table) => to({ table, id: "" }, query.has("table")))
  const find = (event: Event) => {
    event.preventDefault()
    to({ id: wanted.trim() })
  }
  return html`<p class="description quiet">What was known ${of.recordedAt === null ? "before the first event" : html`when its last event was recorded, <${Time} at=${of.recordedAt} />`}, in all organizations. Hashes of keys and secrets are hidden, and long values are cut off.</p>
    <form class="filters" role="search" onSubmit=${find}>
      <label>Table <select value=${chosen} onChange=${(event: Event) => choose(valueOf(event))}>
        ${of.tables.map(({ name, rows }) => html`<option key=${name} value=${name}>${name.replaceAll("_", " ")} (${rows.toLocaleString("en")})</option>`)}</select></label>
      <label>Row <input value=${wanted} placeholder="an id" autocomplete="off" spellcheck="false" onInput=${(event: Event) => setWanted(valueOf(event))} /></label>
      <button class="small">Find</button>
      ${id !== "" && html`<a href=${href("asOf", { position: of.position }, { table })}>All rows</a>`}</form>
    <${Rows} key=${`${table} ${id}`} position=${of.position} table=${table} id=${id} />`
}

const None = (): Node => html`<${Empty} title="No copy as of this position">
  <p>The copy was dropped or is not made yet. <a href=${href("readModels")}>See all copies</a>.</p><//>`

/** What the read models held at a position of the log. */
export const AsOfPage = (): Node => {
  const position = route.value.parameters["position"]!
  useTitle(`As of position ${position}`)
  const loaded = useLoaded(`as of ${position}`, async ({ cairn }, signal) => {
    const { asOf } = await cairn.system.asOfs({ signal })
    return asOf.find((one) => one.position === position && one.state === "made") ?? null
  })
  return html`<div class="page as-of"><header class="title"><h1>As of position <code>${position}</code></h1><a href=${href("readModels")}>Read models</a></header>
    ${whenThere(loaded, (of) => (of === null ? html`<${None} />` : html`<${Sheet} of=${of} />`), 8)}</div>`
}
