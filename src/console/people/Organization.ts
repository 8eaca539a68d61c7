import type { KeyRates, OrganizationInfo } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Figure } from "../overview/Spent.ts"
import { session } from "../session.ts"
import { plain } from "../visible.ts"

const tiers = { FREE: "Free", PRO: "Pro", ENTERPRISE: "Enterprise" } as const

const rate = (most: number | null): string => (most === null ? "any number of" : most.toLocaleString("en"))

const saidOf = ({ search, store, chat, other }: KeyRates): string =>
  [search, store, chat, other].every((most) => most === null)
    ? "Requests per key are not limited."
    : `Each minute, a key may make ${rate(search)} searches, ${rate(store)} requests that store, ${rate(chat)} chats and ${rate(other)} other requests.`

/** The organization, how many people it may have, and how many requests each key may make in a minute. */
export const Organization = ({ of }: { readonly of: OrganizationInfo }): Node => {
  const { rates } = session.value!.access
  const left = of.memberLimit - of.members
  return html`<dl class="figures" aria-label="The organization">
      <${Figure} title="Organization" value=${plain(of.name)} more=${of.slug} />
      <${Figure} title="Tier" value=${tiers[of.tier]} />
      <${Figure} title="People" value=${`${of.members.toLocaleString("en")} of ${of.memberLimit.toLocaleString("en")}`} more=${left === 0 ? "no seats left" : `${left.toLocaleString("en")} ${left === 1 ? "seat" : "seats"} left`} />
    </dl>
    <p class="note">${saidOf(rates)}</p>`
}
