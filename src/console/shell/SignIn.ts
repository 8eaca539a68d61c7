import { useState } from "preact/hooks"
import { PermissionDeniedError } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Button } from "../parts/Button.ts"
import { Text } from "../parts/Text.ts"
import { valueOf } from "../parts/valueOf.ts"
import { failure, parting, signIn, signInByLink } from "../session.ts"
import { useTitle } from "../title.ts"
import { linkCode } from "./link.ts"

const Mark = (): Node => html`
  <svg class="mark" viewBox="5 4 22 26" width="38" height="45" aria-hidden="true">
    <ellipse cx="16" cy="25.4" rx="10.6" ry="3.4" /><ellipse cx="16.6" cy="18.2" rx="7.6" ry="3" />
    <ellipse cx="15.6" cy="12" rx="5.1" ry="2.5" /><ellipse cx="16.3" cy="6.9" rx="3" ry="1.8" />
  </svg>
  <h1>Cairn</h1>`

const Elsewhere = (): Node =>
  html`<p class="elsewhere"><a href="/public">Public snippets</a><a href="/docs">API</a><a href="/skill.md">For agents</a></p>`

interface Keeping {
  readonly keep: boolean
  readonly setKeep: (keep: boolean) => void
}

const Keep = ({ keep, setKeep }: Keeping): Node =>
  html`<label class="check"><input type="checkbox" checked=${keep} onChange=${() => setKeep(!keep)} /> Stay signed in until this tab is closed</label>`

/** Asks whoever followed the link whether the tab should keep the key. The code is tried only after the answer. */
const ByLink = ({ code, keep, setKeep }: Keeping & { readonly code: string }): Node => {
  const [busy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      await signInByLink(code, keep)
      linkCode.value = undefined
    } catch (error) {
      parting.value = failure(error)
      // a code that was refused is of no use any more; after another fault it can be tried again
      if (error instanceof PermissionDeniedError) linkCode.value = undefined
      setBusy(false)
    }
  }
  return html`<form onSubmit=${submit} novalidate>
    <${Mark} />
    <p class="lead">You opened the sign-in link that the service printed. It works once, within a minute.</p>
    ${parting.value !== "" && html`<p class="problem" role="alert"><${Text} of=${parting.value} /></p>`}
    <${Button} class="primary" autofocus busy=${busy} aria-describedby="link-note">${busy ? "Signing in…" : "Sign in"}<//>
    <${Keep} keep=${keep} setKeep=${setKeep} />
    <p id="link-note" class="quiet">You sign in as the service's operator for twelve hours, with a new key called “Sign-in link” that can be revoked.</p>
    <button type="button" class="small" onClick=${() => (linkCode.value = undefined)}>Use a key instead</button>
  </form>`
}

const ByKey = ({ keep, setKeep }: Keeping): Node => {
  const [key, setKey] = useState("")
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
  return html`<form onSubmit=${submit} novalidate>
    <${Mark} />
    <p class="lead">Where agents keep their work. Sign in with an API key to see what is here.</p>
    <label for="key">API key</label>
    <input id="key" name="key" type="password" autocomplete="off" spellcheck="false" placeholder="cairn_live_…" autofocus
      value=${key} aria-invalid=${said !== ""} aria-describedby="key-said key-note" onInput=${(event: InputEvent) => setKey(valueOf(event))} />
    <p id="key-said" class="problem" role="alert">${said && html`<${Text} of=${said} />`}</p>
    <${Keep} keep=${keep} setKeep=${setKeep} />
    <${Button} class="primary" busy=${busy}>${busy ? "Signing in…" : "Sign in"}<//>
    <p id="key-note" class="quiet">The first key is in <code>data/owner.key</code> where the service runs. Started in a terminal, the service also prints a sign-in link. Your key stays in this tab and is sent only to this service.</p>
  </form>`
}

/** Asks for a key, or for leave to use the link that was followed. Neither is in an address. */
export const SignIn = (): Node => {
  useTitle("Sign in")
  const [keep, setKeep] = useState(false)
  const code = linkCode.value
  return html`<main class="sign-in" id="main">
    ${code === undefined ? html`<${ByKey} keep=${keep} setKeep=${setKeep} />` : html`<${ByLink} code=${code} keep=${keep} setKeep=${setKeep} />`}
    <${Elsewhere} />
  </main>`
}
