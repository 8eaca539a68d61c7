import { useRef, useState } from "preact/hooks"
import type { ListedUser, Role } from "../../../clients/typescript/src/index.ts"
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
import { failure, may, type Session, session } from "../session.ts"
import { plain } from "../visible.ts"
import { givenBy, isAbove } from "./roles.ts"

const atOnce = 100
/** Events that change the list. */
const changing = ["MemberAdded", "MemberRoleChanged", "MemberErased", "KeyCreated", "KeyRevoked"]

type Given = ReturnType<typeof givenBy>[number]

/** A person's role as the service has it now; `undefined`: nobody can tell. */
const roleNow = async ({ cairn }: Session, id: string): Promise<Role | undefined> => {
  try {
    for (let cursor: string | undefined; ; ) {
      const { users, nextCursor } = await cairn.users.list({ cursor })
      const found = users.find(({ userId }) => userId === id)
      if (found !== undefined || nextCursor === null) return found?.role
      cursor = nextCursor
    }
  } catch {
    return undefined
  }
}

const RoleOf = ({ of, renew }: { readonly of: ListedUser; readonly renew: () => void }): Node => {
  const [said, setSaid] = useState("")
  const select = useRef<HTMLSelectElement>(null)
  /** The role that is picked in the list: arrow keys pass roles that nobody means. */
  const [picked, setPicked] = useState<Given>()
  /** The role that was given last, until the service has answered. */
  const [wish, setWish] = useState<Given>()
  const latest = useRef<Given | undefined>(undefined)
  /** What the service said of a person of the list. Another answer of the list is newer. */
  const [known, setKnown] = useState({ of, role: of.role })
  const listed = useRef(of)
  listed.current = of
  const role = wish ?? (known.of === of ? known.role : of.role)
  const own = session.value!.access.role
  const roles = givenBy(own)
  const mine = session.value!.access.userId === of.userId
  if (role === "owner" || mine || isAbove(role, own) || !roles.includes(role) || !may("users.changeRole"))
    return html`<span class="role">${role}</span>`
  // one after the other: of several at once the service could do the last one first
  const write = async (open: Session) => {
    let fault = ""
    for (let next = latest.current; next !== undefined; ) {
      let now: Role | undefined
      try {
        now = (await open.cairn.users.changeRole(of.userId, next)).role
        hasDone()
        fault = ""
      } catch (error) {
        fault = failure(error)
        // one that was not answered may have been done all the same
        if (latest.current === next) now = await roleNow(open, of.userId)
      }
      if (now !== undefined) setKnown({ of: listed.current, role: now })
      if (latest.current === next) latest.current = undefined
      next = latest.current
    }
    setWish(undefined)
    setSaid(fault)
    if (fault === "") renew()
  }
  const give = (role: Given) => {
    const isWriting = latest.current !== undefined
    latest.current = role
    setPicked(undefined)
    setWish(role)
    setSaid("")
    // the buttons are gone now
    select.current?.focus()
    if (!isWriting) void write(session.value!)
  }
  const leave = () => {
    setPicked(undefined)
    select.current?.focus()
  }
  const who = plain(of.userEmail)
  return html`<span class="role"><select ref=${select} aria-label=${`Role of ${who}`} value=${picked ?? role} onChange=${(event: Event) => setPicked(valueOf(event) as Given)}>
    ${roles.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select>
    ${
      picked !== undefined &&
      picked !== role &&
      html` <button type="button" class="small" aria-label=${`Make ${who} ${picked}`} onClick=${() => give(picked)}>Make ${picked}</button>
        <button type="button" class="small bare" onClick=${leave}>Cancel</button>`
    }
    ${said && html`<span class="problem" role="alert"><${Text} of=${said} /></span>`}</span>`
}

const Row = ({
  of,
  without,
  renew
}: { readonly of: ListedUser } & Pick<Pages<ListedUser>, "without" | "renew">): Node => {
  const { access } = session.value!
  const erasable = of.role !== "owner" && !isAbove(of.role, access.role)
  return html`<li class="row">
    <span class="who"><${Text} of=${of.userEmail} />${access.userId === of.userId && html` <span class="quiet">you</span>`}</span>
    <${RoleOf} of=${of} renew=${renew} />
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
      () => html`<${Groups} of=${rows} by=${[session.value]} kind="persons" label="People" show=${(one: ListedUser) => html`<${Row} key=${one.userId} of=${one} without=${list.without} renew=${list.renew} />`} />
        <${More} of=${list} />`,
      4
    )}</section>`
}
