import { useState } from "preact/hooks"
import { type Draft, draftAt, dropDraft, keepDraft } from "../chat/drafts.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { once } from "../once.ts"
import { Button } from "../parts/Button.ts"
import { Failed } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { valueOf } from "../parts/valueOf.ts"
import { go, href, route } from "../router.ts"
import { failure, may, session } from "../session.ts"
import { useTitle } from "../title.ts"
import { useStays } from "../useStays.ts"

const Models = ({ value, choose }: { readonly value: string; readonly choose: (name: string) => void }): Node => {
  const [loaded, again] = useLoaded("models", ({ cairn }, signal) => cairn.models({ signal }))
  const names = loaded.state === "failed" ? [] : (loaded.value?.models ?? []).map(({ name }) => name)
  const all = names.includes(value) ? names : [value, ...names]
  return html`<label>Model <select value=${value} onChange=${(event: Event) => choose(valueOf(event))}>
    ${all.map((name) => html`<option key=${name} value=${name}>${name === "local" ? "local: from stored snippets, no language model" : name}</option>`)}
  </select></label>
  ${loaded.state === "failed" && html`<p class="note warn" role="status">The other models could not be loaded. <span class="quiet"><${Text} of=${loaded.message} /></span> <button type="button" class="small" onClick=${again}>Try again</button></p>`}`
}

const send = once()

/** The first thing that is missing, if something is. */
const missingIn = ({ task, user, org }: Draft): string | undefined =>
  [[task, "a task"] as const, [user, "a user"] as const, [org, "an organization"] as const].find(
    ([given]) => given.trim() === ""
  )?.[1]

/** What an address asks for, or what was typed there before. */
const Form = ({ query }: { readonly query: URLSearchParams }): Node => {
  const [problem, setProblem] = useState("")
  const [busy, setBusy] = useState(false)
  const stays = useStays()
  const draft = draftAt(query)
  const change = (part: Partial<Draft>) => keepDraft(query, { ...draftAt(query), ...part })
  const submit = async (event: Event) => {
    event.preventDefault()
    if (busy) return
    const missing = missingIn(draft)
    if (missing !== undefined) return setProblem(`Enter ${missing} first.`)
    setBusy(true)
    setProblem("")
    try {
      const { task, user, org, model, memory } = draft
      const params = { org: org.trim(), user: user.trim(), model, memory }
      const { runs } = session.value!.cairn
      const { runId } = await send({ task, ...params }, (options) => runs.start(task, params, options))
      dropDraft(query, draft)
      if (stays()) go(href("run", { id: runId }))
    } catch (error) {
      setProblem(failure(error))
      setBusy(false)
    }
  }
  return html`<form onSubmit=${submit} novalidate>
      <label for="task">Task</label>
      <textarea id="task" rows="5" value=${draft.task} placeholder="Parse a CSV file into rows" onInput=${(event: Event) => change({ task: valueOf(event) })}
        onKeyDown=${(event: KeyboardEvent) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && submit(event)} />
      <div class="filters">
        <label>User <input value=${draft.user} required autocomplete="off" spellcheck="false" onInput=${(event: Event) => change({ user: valueOf(event) })} /></label>
        <label>in <input value=${draft.org} required autocomplete="off" spellcheck="false" aria-label="Organization" placeholder="organization" onInput=${(event: Event) => change({ org: valueOf(event) })} /></label>
        <${Models} value=${draft.model} choose=${(model: string) => change({ model })} />
        <label class="check"><input type="checkbox" checked=${draft.memory} onChange=${() => change({ memory: !draft.memory })} /> Remember earlier chats</label>
      </div>
      <p class="problem" role="alert">${problem && html`<${Text} of=${problem} />`}</p>
      <div class="actions"><${Button} class="primary" busy=${busy}>${busy ? "Asking…" : "Ask"}<//><span class="quiet">or press Ctrl+Enter</span></div>
    </form>`
}

/** Asks an agent to work in the workspace of a user of an organization. */
export const Chat = (): Node => {
  const { query } = route.value
  useTitle("Chat")
  if (!may("chat.chat"))
    return html`<div class="page"><header class="title"><h1>Chat</h1></header>
      <${Failed} why="forbidden" message="This key is read-only: it can't start a chat." /></div>`
  return html`<div class="page chat"><header class="title"><h1>Chat</h1></header>
    <p class="description quiet">An agent works on a task in a workspace. It starts with the files there and saves its changes as one commit.</p>
    <${Form} key=${query.toString()} query=${query} /></div>`
}
