import { useRef, useState } from "preact/hooks"
import type { Bounds } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { hasDone } from "../live/steady.ts"
import { Button } from "../parts/Button.ts"
import { Dialog } from "../parts/Dialog.ts"
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
  // disabling the fields meanwhile would take the focus from them
  const [doing, setDoing] = useState<"loading" | "saving">()
  // an answer to an earlier opening is not what is being typed over now
  const opening = useRef(0)
  const open = async () => {
    const own = ++opening.current
    const isOver = () => own !== opening.current
    // a text that is no number is in no state of ours
    dialog.current?.querySelector("form")?.reset()
    dialog.current?.showModal()
    setUnread([])
    setProblem("")
    setDoing("loading")
    try {
      const { bounds } = await session.value!.cairn.bounds()
      if (isOver()) return
      const whole = bounds.find(({ keyId }) => keyId === null)
      setBefore(whole)
      setForm(formOf(whole))
      setDoing(undefined)
    } catch (error) {
      const problem = failure(error)
      if (!isOver()) setProblem(problem)
    }
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    const sent = event.currentTarget as HTMLFormElement
    const found = unreadIn(sent)
    setUnread(found)
    if (found[0] !== undefined) return leadTo(sent, found[0])
    setDoing("saving")
    setProblem("")
    const own = opening.current
    const isOver = () => own !== opening.current
    try {
      const given = Object.fromEntries(
        fields.flatMap(([name]) => (form[name].trim() === "" ? [] : [[name, Number(form[name])]]))
      )
      await session.value!.cairn.setBounds({ ...given, ...(before?.models == null ? {} : { models: before.models }) })
      hasDone()
      again()
      if (!isOver()) dialog.current?.close()
    } catch (error) {
      const problem = failure(error)
      if (!isOver()) setProblem(problem)
    }
    if (!isOver()) setDoing(undefined)
  }
  const typed = (name: keyof Form, value: string) => {
    setForm((all) => ({ ...all, [name]: value }))
    setUnread((all) => all.filter((one) => one !== name))
  }
  if (!may("usage.setBounds")) return null
  return html`<button type="button" class="small" onClick=${open}>Change bounds…</button>
    <${Dialog} of=${dialog} label="Bounds of the organization" busy=${doing === "saving"}><h2>Bounds of the organization</h2>
      <form class="fields" onSubmit=${submit} novalidate>
        ${fields.map(
          ([name, title, step]) => html`<label key=${name}>${title}
            <input type="number" min="0" step=${step} inputmode="decimal" placeholder="no bound" value=${form[name]} readonly=${doing !== undefined} ...${unreadAs(name, unread.includes(name))}
              onInput=${(event: Event) => typed(name, valueOf(event))} /></label>
            <${Unread} name=${name} is=${unread.includes(name)} wanted="This is not a number. Enter one, or leave the field empty for no bound." />`
        )}
        <p class="quiet">Changes apply at once, also to running chats. An empty field means no bound. Keys may have bounds of their own.</p>
        <p class="problem" role="alert">${problem && html`<${Text} of=${problem} />`}</p>
        <div class="actions"><${Button} type="button" busy=${doing === "saving"} onClick=${() => dialog.current?.close()}>Cancel<//><${Button} class="primary" busy=${doing !== undefined}>Save<//></div>
      </form><//>`
}
