import type { UsageReport } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { dollars, number } from "../parts/figures.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { bytesIn } from "../workspaces/bytes.ts"

const kinds: { readonly [bound: string]: { readonly title: string; readonly shown: (amount: number) => string } } = {
  chats_per_day: { title: "Chats a day", shown: number },
  tokens_per_month: { title: "Tokens a month", shown: number },
  cost_per_month: { title: "Dollars a month", shown: dollars },
  snippets: { title: "Snippets", shown: number },
  repository_bytes: { title: "Bytes of commits", shown: bytesIn }
}

interface Spent {
  readonly keyId: string | null
  readonly bound: string
  readonly limit: number
  readonly used: number
  readonly resetsAt?: string
}

const Row = ({ of, names }: { readonly of: Spent; readonly names: ReadonlyMap<string, string> }): Node => {
  const { title = of.bound, shown = String } = kinds[of.bound] ?? {}
  const whose = of.keyId === null ? "the organization" : (names.get(of.keyId) ?? `key ${of.keyId.slice(0, 8)}…`)
  const full = of.used >= of.limit
  return html`<li class="row"><span class="who">${title} <span class="quiet"><${Text} of=${whose} /></span></span>
    <meter class=${full ? "full" : ""} min="0" max=${Math.max(of.limit, 1e-9)} value=${Math.min(of.used, of.limit)} aria-label=${`${title}: ${shown(of.used)} of ${shown(of.limit)}`} />
    <span class="number">${shown(of.used)} of ${shown(of.limit)}</span>
    <span class="quiet">${of.resetsAt !== undefined && html`resets <${Time} at=${of.resetsAt} />`}${full && html` <span class="status errored">reached</span>`}</span></li>`
}

/** How much of each bound is used. */
export const BoundsSpent = ({
  of,
  names
}: {
  readonly of: UsageReport
  readonly names: ReadonlyMap<string, string>
}): Node => {
  const all: ReadonlyArray<Spent> = [...of.bounds, ...(of.stored?.bounds ?? [])]
  if (all.length === 0) return html`<p class="note">No bounds are set.</p>`
  return html`<ul class="rows bounds">${all.map((one) => html`<${Row} key=${`${one.keyId} ${one.bound}`} of=${one} names=${names} />`)}</ul>`
}
