import { useRef, useState } from "preact/hooks"
import type { Bounds } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { hasDone } from "../live/steady.ts"
import { Button } from "../parts/Button.ts"
import { Text } from "../parts/Text.ts"
import { leadTo, Unread, unreadAs, unreadIn } from "../parts/Unread.ts"
import { valueOf } from "../parts/valueOf.ts"
import { failure, may, session } from "../session.ts"

const fields = [
  ["chatsPerDay", "Chats a day", "1"],
  ["tokensPerMonth", "Tokens a month", "1"],
  ["costPerMonth", "US dollars a month", "0.01"],
  ["maxTurns", "Turns of a chat", "1"],
  ["snippets", "Snippets", "1"],
  ["repositoryBytes", "Bytes of commits", "1"]
] as const

type Form = { readonly [name in (typeof fields)[number][0]]: string }

const formOf = (bounds: Bounds | undefined): Form =>
  Object.fromEntries(fields.map(([name]) => [name, bounds?.[name] == null ? "" : String(bounds[name])])) as Form

/** Sets the organization's bounds. A field that is left empty sets none. */
export const SetBounds = ({ again }: { readonly again: () => void }): Node => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [before, setBefore] = useState<Bounds>()
  const [form, setForm] = useState(formOf(undefined))
  const [unread, setUnread] = useState<ReadonlyArray<string>>([])
  const [problem, setProblem] = useState("")
  const [busy, setBusy] = useState(false)
  // disabling the fields meanwhile would take the focus from them
  const open = async () => {
    // a text that is no number is in no state of ours
    dialog.current?.querySelector("form")?.reset()
    dialog.current?.showModal()
    setUnread([])
    setProblem("")
    setBusy(true)
    try {
      const { bounds } = await session.value!.cairn.bounds()
      const own = bounds.find(({ keyId }) => keyId === null)
      setBefore(own)
      setForm(formOf(own))
      setBusy(false)
    } catch (error) {
      setProblem(failure(error))
    }
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    const sent = event.currentTarget as HTMLFormElement
    const found = unreadIn(sent)
    setUnread(found)
    if (found[0] !== undefined) return leadTo(sent, found[0])
    setBusy(true)
    setProblem("")
    try {
      const given = Object.fromEntries(
        fields.flatMap(([name]) => (form[name].trim() === "" ? [] : [[name, Number(form[name])]]))
      )
      await session.value!.cairn.setBounds({ ...given, ...(before?.models == null ? {} : { models: before.models }) })
      dialog.current?.close()
      hasDone()
      again()
    } catch (error) {
      setProblem(failure(error))
    }
    setBusy(false)
  }
  const typed = (name: keyof Form, value: string) => {
    setForm((all) => ({ ...all, [name]: value }))
    setUnread((all) => all.filter((one) => one !== name))
  }
  if (!may("usage.setBounds")) return null
  return html`<button type="button" class="small" onClick=${open}>Change bounds…</button>
    <dialog ref=${dialog} aria-label="Bounds of the organization"><h2>Bounds of the organization</h2>
      <form class="fields" onSubmit=${submit} novalidate>
        ${fields.map(
          ([name, title, step]) => html`<label key=${name}>${title}
            <input type="number" min="0" step=${step} inputmode="decimal" placeholder="no bound" value=${form[name]} readonly=${busy} ...${unreadAs(name, unread.includes(name))}
              onInput=${(event: Event) => typed(name, valueOf(event))} /></label>
            <${Unread} name=${name} is=${unread.includes(name)} wanted="This is not a number. Enter one, or leave the field empty for no bound." />`
        )}
        <p class="quiet">Changes apply at once, also to running chats. An empty field means no bound. Keys may have bounds of their own.</p>
        <p class="problem" role="alert">${problem && html`<${Text} of=${problem} />`}</p>
        <div class="actions"><button type="button" onClick=${() => dialog.current?.close()}>Cancel</button><${Button} class="primary" busy=${busy}>Save<//></div>
      </form></dialog>`
}
