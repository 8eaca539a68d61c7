import type { UsageEntry, UsageReport } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { dollars, number } from "../parts/figures.ts"
import { Text } from "../parts/Text.ts"
import { href } from "../router.ts"
import type { Group } from "./asked.ts"

/** A cost in US dollars, known if every model has a price. */
export const costOf = (cost: number | null): string => (cost === null ? "not known" : dollars(cost))

const titles: { readonly [group in Group]: string } = {
  day: "Day",
  model: "Model",
  user: "Person",
  key: "Key",
  workspace: "Workspace"
}

/** What a row is of, by its name if that is known. */
const Of = ({ of, by, names }: { of: string; by: Group; names: ReadonlyMap<string, string> }): Node => {
  const name =
    names.get(of) ?? (by === "day" || by === "model" ? of : of === "" ? "the operator" : `${of.slice(0, 8)}…`)
  if (by === "workspace") return html`<a href=${href("workspace", { id: of })}><${Text} of=${name} /></a>`
  return html`<span title=${of}><${Text} of=${name} /></span>`
}

const Row = ({
  row,
  by,
  names,
  most
}: {
  row: UsageEntry
  by: Group
  names: ReadonlyMap<string, string>
  most: number
}): Node => {
  const tokens = row.inputTokens + row.outputTokens
  return html`<tr><th scope="row"><${Of} of=${row.of} by=${by} names=${names} /></th>
    <td class="number">${number(row.chats)}</td><td class="number">${number(row.turns)}</td>
    <td class="number">${number(row.inputTokens)}</td><td class="number">${number(row.outputTokens)}</td>
    <td class="number">${costOf(row.cost)}</td>
    <td class="share"><span class="bar" style=${{ width: `${most === 0 ? 0 : Math.max(tokens > 0 ? 2 : 0, (tokens / most) * 100)}%` }} /></td></tr>`
}

/** What was used, row by row, with a bar that compares each row's tokens with the others'. */
export const Rows = ({ of, by, names }: { of: UsageReport; by: Group; names: ReadonlyMap<string, string> }): Node => {
  const most = Math.max(0, ...of.usage.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens))
  const rows = by === "day" ? [...of.usage].reverse() : of.usage
  if (rows.length === 0) return html`<p class="note">No chats in this period.</p>`
  return html`<div class="scrolled" tabindex="0" role="region" aria-label=${`Usage by ${titles[by].toLowerCase()}`}><table>
    <thead><tr><th scope="col">${titles[by]}</th><th scope="col" class="number">Chats</th><th scope="col" class="number">Turns</th>
      <th scope="col" class="number">Tokens read</th><th scope="col" class="number">written</th><th scope="col" class="number">Cost</th><th scope="col"><span class="spoken">Share of tokens</span></th></tr></thead>
    <tbody>${rows.map((row) => html`<${Row} key=${row.of} row=${row} by=${by} names=${names} most=${most} />`)}</tbody></table></div>
    ${of.leftOut > 0 && html`<p class="note">and ${number(of.leftOut)} more, with less usage</p>`}`
}
