import { useState } from "preact/hooks"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Button } from "../parts/Button.ts"
import { Failed } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { valueOf } from "../parts/valueOf.ts"
import { go, href, route } from "../router.ts"
import { failure, may, session } from "../session.ts"
import { useTitle } from "../title.ts"

const Models = ({ value, choose }: { readonly value: string; readonly choose: (name: string) => void }): Node => {
  const [loaded] = useLoaded("models", ({ cairn }, signal) => cairn.models({ signal }))
  const names = loaded.state === "failed" ? [] : (loaded.value?.models ?? []).map(({ name }) => name)
  const all = names.includes(value) ? names : [value, ...names]
  return html`<label>Model <select value=${value} onChange=${(event: Event) => choose(valueOf(event))}>
    ${all.map((name) => html`<option key=${name} value=${name}>${name === "local" ? "local: from stored snippets, no language model" : name}</option>`)}
  </select></label>`
}

/** Asks an agent to work in the workspace of a user of an organization. */
export const Chat = (): Node => {
  const { query } = route.value
  useTitle("Chat")
  const [task, setTask] = useState("")
  const [org, setOrg] = useState(query.get("org") ?? "")
  const [user, setUser] = useState(query.get("user") ?? "")
  const [model, setModel] = useState(query.get("model") ?? "local")
  const [memory, setMemory] = useState(false)
  const [problem, setProblem] = useState("")
  const [busy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (busy) return
    const missing = [
      [task, "a task"],
      [user, "a user"],
      [org, "an organization"]
    ].find(([given]) => given!.trim() === "")
    if (missing !== undefined) return setProblem(`Enter ${missing[1]} first.`)
    setBusy(true)
    setProblem("")
    try {
      const { runId } = await session.value!.cairn.runs.start(task, {
        org: org.trim(),
        user: user.trim(),
        model,
        memory
      })
      go(href("run", { id: runId }))
    } catch (error) {
      setProblem(failure(error))
      setBusy(false)
    }
  }
  if (!may("chat.chat"))
    return html`<div class="page"><header class="title"><h1>Chat</h1></header>
      <${Failed} why="forbidden" message="This key is read-only: it can't start a chat." /></div>`
  return html`<div class="page chat"><header class="title"><h1>Chat</h1></header>
    <p class="description quiet">An agent works on a task in a workspace. It starts with the files there and saves its changes as one commit.</p>
    <form onSubmit=${submit} novalidate>
      <label for="task">Task</label>
      <textarea id="task" rows="5" value=${task} placeholder="Parse a CSV file into rows" onInput=${(event: Event) => setTask(valueOf(event))}
        onKeyDown=${(event: KeyboardEvent) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && submit(event)} />
      <div class="filters">
        <label>User <input value=${user} required autocomplete="off" spellcheck="false" onInput=${(event: Event) => setUser(valueOf(event))} /></label>
        <label>in <input value=${org} required autocomplete="off" spellcheck="false" aria-label="Organization" placeholder="organization" onInput=${(event: Event) => setOrg(valueOf(event))} /></label>
        <${Models} value=${model} choose=${setModel} />
        <label class="check"><input type="checkbox" checked=${memory} onChange=${() => setMemory(!memory)} /> Remember earlier chats</label>
      </div>
      <p class="problem" role="alert">${problem && html`<${Text} of=${problem} />`}</p>
      <div class="actions"><${Button} class="primary" busy=${busy}>${busy ? "Asking…" : "Ask"}<//><span class="quiet">or press Ctrl+Enter</span></div>
    </form></div>`
}
