import { useState } from "preact/hooks"
import { begin, drop, type Made, step, taken } from "../backups/making.ts"
import { html, type Node } from "../html.ts"
import { Button } from "../parts/Button.ts"
import { Failed } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { valueOf } from "../parts/valueOf.ts"
import { may } from "../session.ts"
import { useTitle } from "../title.ts"
import { bytesIn } from "../workspaces/bytes.ts"

const There = ({ of: { url, name, bytes, what, isTaken } }: { readonly of: Made }): Node =>
  html`<ol class="rows steps-done">
    <li><span class="status completed">made</span> ${what.events.toLocaleString("en")} events up to position ${what.to}, ${bytesIn(bytes)}, <${Time} at=${what.finished} /></li>
    <li><span class="status completed">verified</span> ${what.digests ? `All ${what.files} files match the manifest.` : `All ${what.files} files are there and as long as the manifest says. Without TLS, this page can't check digests.`}</li>
    <li><span class=${isTaken ? "status completed" : "status"}>${isTaken ? "downloaded" : "not downloaded yet"}</span> <a class="button small" href=${url} download=${name} onClick=${taken}>Download ${name}</a></li>
  </ol>
  <p class="note">The backup is only in this tab, and lost when you sign out or the tab is reloaded or closed. Restore it with <code>cairn restore ${name}</code>.</p>`

/** Makes a backup of all that the service has, checks it, and hands it over as one file. */
export const Backups = (): Node => {
  useTitle("Backups")
  const [recipient, setRecipient] = useState("")
  const now = step.value
  const busy = now.is === "made" || now.is === "looked at"
  const submit = (event: Event) => {
    event.preventDefault()
    if (!busy) void begin(recipient.trim())
  }
  if (!may("backups.backup"))
    return html`<div class="page"><header class="title"><h1>Backups</h1></header>
      <${Failed} why="forbidden" message="A backup has the data of every organization: only the service's operator can make one." /></div>`
  return html`<div class="page backups"><header class="title"><h1>Backups</h1></header>
    <p class="description quiet">One file with all data of every organization, made while the service runs. For incremental backups, run <code>cairn backup FOLDER</code> where the service runs.</p>
    <form class="fields" onSubmit=${submit} novalidate>
      <label>Encrypt for <input value=${recipient} placeholder="age1… (optional)" autocomplete="off" spellcheck="false" readonly=${busy} onInput=${(event: Event) => setRecipient(valueOf(event))} /></label>
      ${recipient.trim() === "" && html`<p class="note warn">Without a recipient, the file is as sensitive as the service's data folder: it has all texts and the digests of all keys.</p>`}
      <div class="actions"><${Button} class="primary" busy=${busy}>Make a backup<//>
        ${busy && html`<button type="button" onClick=${drop}>Stop</button>`}
        <span role="status">${now.is === "made" && `${bytesIn(now.bytes)} so far…`}${now.is === "looked at" && `${now.files} of ${now.of} files checked…`}</span></div>
    </form>
    ${now.is === "failed" && html`<div class="failed" role="alert"><h2>The backup failed</h2><p><${Text} of=${now.message} /></p></div>`}
    ${now.is === "there" && html`<${There} of=${now} />`}</div>`
}
