import { useState } from "preact/hooks"
import { html, type Node } from "../html.ts"
import { Text } from "../parts/Text.ts"
import { valueOf } from "../parts/valueOf.ts"
import { parting, signIn } from "../session.ts"

/** Asks for a key. It is sent to this service alone, and stands in no address. */
export const SignIn = (): Node => {
  const [key, setKey] = useState("")
  const [keep, setKeep] = useState(false)
  const [problem, setProblem] = useState("")
  const [busy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    const given = key.trim()
    if (given === "") return setProblem("Paste a key first.")
    setBusy(true)
    setProblem("")
    try {
      await signIn(given, keep)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  const said = problem || parting.value
  return html`
    <main class="sign-in" id="main">
      <form onSubmit=${submit} novalidate>
        <svg class="mark" viewBox="5 4 22 26" width="38" height="45" aria-hidden="true">
          <ellipse cx="16" cy="25.4" rx="10.6" ry="3.4" /><ellipse cx="16.6" cy="18.2" rx="7.6" ry="3" />
          <ellipse cx="15.6" cy="12" rx="5.1" ry="2.5" /><ellipse cx="16.3" cy="6.9" rx="3" ry="1.8" />
        </svg>
        <h1>Cairn</h1>
        <p class="lead">Where agents keep their work. Sign in with an API key to see what is here.</p>
        <label for="key">API key</label>
        <input id="key" name="key" type="password" autocomplete="off" spellcheck="false" placeholder="cairn_live_…" autofocus
          value=${key} aria-invalid=${said !== ""} aria-describedby="key-said key-note" onInput=${(event: InputEvent) => setKey(valueOf(event))} />
        <p id="key-said" class="problem" role="alert">${said && html`<${Text} of=${said} />`}</p>
        <label class="check"><input type="checkbox" checked=${keep} onChange=${() => setKeep(!keep)} /> Stay signed in until this tab is closed</label>
        <button class="primary" disabled=${busy}>${busy ? "Signing in…" : "Sign in"}</button>
        <p id="key-note" class="quiet">The first key is in <code>data/owner.key</code> where the service runs. It stays in this tab, and goes to this service alone.</p>
      </form>
      <p class="elsewhere"><a href="/public">Public snippets</a><a href="/docs">API</a><a href="/skill.md">For agents</a></p>
    </main>`
}
