import { useRef, useState } from "preact/hooks"
import type { CreatedKey } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { hasDone } from "../live/steady.ts"
import { once } from "../once.ts"
import { Button } from "../parts/Button.ts"
import { Copy } from "../parts/Copy.ts"
import { Dialog } from "../parts/Dialog.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { leadTo, Unread, unreadAs, unreadIn } from "../parts/Unread.ts"
import { valueOf } from "../parts/valueOf.ts"
import { failure, may, session } from "../session.ts"
import { givenBy } from "./roles.ts"

const empty = { email: "", name: "", role: "", actsFor: "", readOnly: false, ends: "" }

/** The end of a day in the reader's zone, as a time; `undefined`: no day was given. */
const endOf = (day: string): string | undefined => (day === "" ? undefined : new Date(`${day}T23:59:59`).toISOString())

const Fields = ({
  form,
  set,
  unread
}: {
  form: typeof empty
  set: (part: Partial<typeof empty>) => void
  /** Whether the last day was no whole date when the form was to be sent. */
  unread: boolean
}): Node => html`
  <label>Person's e-mail <input type="email" value=${form.email} autocomplete="off" onInput=${(event: Event) => set({ email: valueOf(event) })} /></label>
  <label>Name <input value=${form.name} maxlength="200" autocomplete="off" placeholder="laptop" onInput=${(event: Event) => set({ name: valueOf(event) })} /></label>
  <label>Role <select value=${form.role} onChange=${(event: Event) => set({ role: valueOf(event) })}>
    <option value="">their current role, or member if new</option>
    ${givenBy(session.value!.access.role).map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select></label>
  <label>Works in <select value=${form.actsFor} onChange=${(event: Event) => set({ actsFor: valueOf(event) })}>
    <option value="">as its role allows</option><option value="own">the person's own workspaces</option><option value="any">everybody's workspaces, for a back end</option></select></label>
  <label>Valid through <input type="date" value=${form.ends} ...${unreadAs("ends", unread)} onInput=${(event: Event) => set({ ends: valueOf(event) })} /></label>
  <${Unread} name="ends" is=${unread} wanted="This is not a whole date. Complete it, or clear the field for a key that does not expire." />
  ${
    session.value!.access.expiresAt !== null &&
    html`<p class="note warn">Your own key expires <${Time} at=${session.value!.access.expiresAt} />, and keys it creates can't outlive it. For a longer-lived key, sign in with the owner’s key.</p>`
  }
  <label class="check"><input type="checkbox" checked=${form.readOnly} onChange=${() => set({ readOnly: !form.readOnly })} /> Read-only</label>`

const Made = ({ of }: { readonly of: CreatedKey }): Node => html`
  <p><b><${Text} of=${of.name} /></b> of <${Text} of=${of.userEmail} />, ${of.role}${of.isNewMember && ", new in the organization"}.</p>
  <p class="secret"><code>${of.key}</code><${Copy} text=${of.key} what="the key" /></p>
  <p class="note warn">Copy the key now: it is shown only once, and kept nowhere.</p>`

const send = once()

/** Makes a key, and shows it once. */
export const CreateKey = ({ again }: { readonly again: () => void }): Node => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [form, setForm] = useState(empty)
  const [made, setMade] = useState<CreatedKey>()
  const [unread, setUnread] = useState(false)
  const [problem, setProblem] = useState("")
  const [busy, setBusy] = useState(false)
  const close = () => dialog.current?.close()
  const closed = () => {
    setMade(undefined)
    setForm(empty)
    setUnread(false)
    setProblem("")
    // a part of a date is in no state of ours
    dialog.current?.querySelector("form")?.reset()
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    const sent = event.currentTarget as HTMLFormElement
    const [first] = unreadIn(sent)
    setUnread(first !== undefined)
    if (first !== undefined) return leadTo(sent, first)
    if (form.email.trim() === "" || form.name.trim() === "")
      return setProblem("Enter the person's e-mail and a name for the key.")
    setBusy(true)
    setProblem("")
    try {
      const wanted = {
        email: form.email.trim(),
        keyName: form.name.trim(),
        role: form.role === "" ? undefined : (form.role as "admin" | "member" | "reader"),
        actsFor: form.actsFor === "" ? undefined : (form.actsFor as "own" | "any"),
        readOnly: form.readOnly ? true : undefined,
        expiresAt: endOf(form.ends)
      }
      const { keys } = session.value!.cairn
      setMade(await send(wanted, (options) => keys.create(wanted, options)))
      hasDone()
      again()
    } catch (error) {
      setProblem(failure(error))
    }
    setBusy(false)
  }
  const change = (part: Partial<typeof empty>) => {
    setForm((before) => ({ ...before, ...part }))
    if ("ends" in part) setUnread(false)
  }
  if (!may("keys.createKey")) return null
  return html`<button type="button" class="primary" onClick=${() => dialog.current?.showModal()}>Create a key…</button>
    <${Dialog} of=${dialog} label="Create a key" busy=${busy} onClose=${closed}>
      <h2>${made === undefined ? "Create a key" : "Key created"}</h2>
      ${
        made !== undefined
          ? html`<${Made} of=${made} /><div class="actions"><button type="button" class="primary" onClick=${close}>Done</button></div>`
          : html`<form class="fields" onSubmit=${submit} novalidate>
            <${Fields} form=${form} unread=${unread} set=${change} />
            <p class="problem" role="alert">${problem && html`<${Text} of=${problem} />`}</p>
            <div class="actions"><${Button} type="button" busy=${busy} onClick=${close}>Cancel<//><${Button} class="primary" busy=${busy}>${busy ? "…" : "Create"}<//></div>
          </form>`
      }
    <//>`
}
