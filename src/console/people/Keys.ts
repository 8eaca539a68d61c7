import type { ListedKey } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Renewed } from "../live/Renewed.ts"
import { Confirm } from "../parts/Confirm.ts"
import { Groups } from "../parts/Groups.ts"
import { More } from "../parts/More.ts"
import { type Pages, usePages } from "../parts/pages.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { session } from "../session.ts"
import { isAbove } from "./roles.ts"

const atOnce = 100
/** Events that change the list. */
const changing = ["KeyCreated", "KeyLimited", "KeyRevoked", "MemberRoleChanged", "MemberErased"]

/** A key's bounds besides its role and its end, in a few words. */
const boundsOf = ({ actsFor, readOnly, workspaces, models }: ListedKey): ReadonlyArray<string> => [
  ...(readOnly ? ["read-only"] : []),
  actsFor === "own" ? "the person's own workspaces" : "everybody's workspaces",
  ...(workspaces === null ? [] : [`only ${workspaces.length} ${workspaces.length === 1 ? "workspace" : "workspaces"}`]),
  ...(models === null ? [] : [`models ${models.join(", ")}`])
]

const Ends = ({ at }: { readonly at: string | null }): Node => {
  if (at === null) return html`<span class="quiet">no expiry</span>`
  const over = Date.parse(at) <= Date.now()
  return html`<span class=${over ? "status errored" : "quiet"}>${over ? "expired" : "expires"} <${Time} at=${at} /></span>`
}

const Row = ({ of, without }: { readonly of: ListedKey; readonly without: Pages<ListedKey>["without"] }): Node => {
  const { access } = session.value!
  const mine = access.keyId === of.id
  return html`<li class="row">
    <span class="who"><${Text} of=${of.name} /> <code class="quiet">${of.keyPrefix}…</code>${mine && html` <span class="badge">this one</span>`}</span>
    <span class="of"><${Text} of=${of.userEmail} /> <span class="quiet">${of.role}</span></span>
    <span class="quiet">${boundsOf(of).map((one, index) => html`${index > 0 && ", "}<${Text} of=${one} />`)}</span>
    <${Ends} at=${of.expiresAt} />
    <span class="quiet" title="Accurate to half a minute">last used <${Time} at=${of.lastUsedAt} /></span>
    <span class="actions">${
      !isAbove(of.role, access.role) &&
      html`<${Confirm} label="Revoke…" of=${`${of.name} of ${of.userEmail}`} title="Revoke this key?" action="Revoke" needs="keys.revokeKey"
        does=${async () => {
          await session.value!.cairn.keys.revoke(of.id)
          without(({ id }) => id === of.id)
        }}>
        <p><b><${Text} of=${of.name} /></b> of <${Text} of=${of.userEmail} /></p>
        <p>The key stops working at once, everywhere. Its chats end before their next turn, and what they have written is saved.</p>
        ${mine && html`<p class="problem">This is the key you are signed in with.</p>`}
      <//>`
    }</span></li>`
}

/** The organization's live keys, the oldest first. */
export const Keys = (): Node => {
  const list = usePages<ListedKey>("keys", async ({ cairn }, cursor, signal) => {
    const { keys, nextCursor } = await cairn.keys.list({ limit: atOnce, cursor }, { signal })
    return { rows: keys, next: nextCursor }
  })
  const { first, rows } = list
  return html`<section aria-labelledby="keys"><header class="heads"><h2 id="keys">Keys</h2><${Renewed} by=${changing} list=${list} /></header>
    ${whenThere(
      first,
      () => html`<${Groups} of=${rows} by=${[session.value]} kind="keys" label="Keys" show=${(one: ListedKey) => html`<${Row} key=${one.id} of=${one} without=${list.without} />`} />
        <${More} of=${list} />`,
      4
    )}</section>`
}
