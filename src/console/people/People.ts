import { useState } from "preact/hooks"
import type { ListedUser } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Renewed } from "../live/Renewed.ts"
import { hasDone } from "../live/steady.ts"
import { Confirm } from "../parts/Confirm.ts"
import { Groups } from "../parts/Groups.ts"
import { More } from "../parts/More.ts"
import { type Pages, usePages } from "../parts/pages.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { valueOf } from "../parts/valueOf.ts"
import { failure, may, session } from "../session.ts"
import { plain } from "../visible.ts"
import { givenBy, isAbove } from "./roles.ts"

const atOnce = 100
/** Events that change the list. */
const changing = ["MemberAdded", "MemberRoleChanged", "MemberErased", "KeyCreated", "KeyRevoked"]

const RoleOf = ({ of }: { readonly of: ListedUser }): Node => {
  const [role, setRole] = useState(of.role)
  const [said, setSaid] = useState("")
  const own = session.value!.access.role
  const roles = givenBy(own)
  const mine = session.value!.access.userId === of.userId
  if (role === "owner" || mine || isAbove(role, own) || !roles.includes(role) || !may("users.changeRole"))
    return html`<span class="role">${role}</span>`
  const change = async (event: Event) => {
    const wanted = valueOf(event) as (typeof roles)[number]
    setRole(wanted)
    try {
      await session.value!.cairn.users.changeRole(of.userId, wanted)
      hasDone()
      setSaid("")
    } catch (error) {
      setRole(of.role)
      setSaid(failure(error))
    }
  }
  return html`<span class="role"><select aria-label=${`Role of ${plain(of.userEmail)}`} value=${role} onChange=${change}>
    ${roles.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select>
    ${said && html`<span class="problem" role="alert"><${Text} of=${said} /></span>`}</span>`
}

const Row = ({ of, without }: { readonly of: ListedUser; readonly without: Pages<ListedUser>["without"] }): Node => {
  const { access } = session.value!
  const erasable = of.role !== "owner" && !isAbove(of.role, access.role)
  return html`<li class="row">
    <span class="who"><${Text} of=${of.userEmail} />${access.userId === of.userId && html` <span class="quiet">you</span>`}</span>
    <${RoleOf} key=${of.role} of=${of} />
    <span class="number">${of.keys.toLocaleString("en")} ${of.keys === 1 ? "key" : "keys"}</span>
    <span class="quiet">joined <${Time} at=${of.joinedAt} /></span>
    <span class="quiet">last seen <${Time} at=${of.lastUsedAt} /></span>
    <span class="actions">${
      erasable &&
      html`<${Confirm} label="Erase…" of=${of.userEmail} title="Erase this person?" action="Erase" needs="users.eraseUser"
        does=${async () => {
          await session.value!.cairn.users.erase(of.userId)
          without(({ userId }) => userId === of.userId)
        }}>
        <p class="path"><${Text} of=${of.userEmail} /></p>
        <p>Their keys are revoked at once, their name and e-mail are erased for good, and the seat is free. What they stored for the organization stays, without their name.</p>
      <//>`
    }</span></li>`
}

/** The organization's people, in the order in which they joined. */
export const People = (): Node => {
  const list = usePages<ListedUser>("people", async ({ cairn }, cursor, signal) => {
    const { users, nextCursor } = await cairn.users.list({ limit: atOnce, cursor }, { signal })
    return { rows: users, next: nextCursor }
  })
  const { first, rows } = list
  return html`<section aria-labelledby="people"><header class="heads"><h2 id="people">People</h2><${Renewed} by=${changing} list=${list} /></header>
    ${whenThere(
      first,
      () => html`<${Groups} of=${rows} by=${[session.value]} kind="persons" label="People" show=${(one: ListedUser) => html`<${Row} key=${one.userId} of=${one} without=${list.without} />`} />
        <${More} of=${list} />`,
      4
    )}</section>`
}
