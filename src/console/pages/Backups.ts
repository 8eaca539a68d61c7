import { useEffect, useRef, useState } from "preact/hooks"
import { type Verified, verified } from "../backups/verified.ts"
import { html, type Node } from "../html.ts"
import { Button } from "../parts/Button.ts"
import { Failed } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { valueOf } from "../parts/valueOf.ts"
import { failure, may, session } from "../session.ts"
import { useTitle } from "../title.ts"
import { bytesIn } from "../workspaces/bytes.ts"

/** How far a backup is: being made, being checked, or ready to be saved. */
type Step =
  | { readonly is: "none" }
  | { readonly is: "made"; readonly bytes: number }
  | { readonly is: "looked at"; readonly files: number; readonly of: number }
  | {
      readonly is: "there"
      readonly url: string
      readonly name: string
      readonly bytes: number
      readonly what: Verified
    }
  | { readonly is: "failed"; readonly message: string }

const nameAt = (now: number): string =>
  `cairn-backup-${new Date(now).toISOString().replaceAll(":", "").slice(0, 17)}Z.tar`

const make = async (recipient: string, signal: AbortSignal, tell: (step: Step) => void): Promise<void> => {
  const name = nameAt(Date.now())
  const pieces: Array<Blob> = []
  let bytes = 0
  const given = recipient === "" ? {} : { recipient }
  for await (const piece of session.value!.cairn.system.backup(given, { signal, maxRetries: 0 })) {
    // a browser keeps long blobs on its disk, and not in memory
    pieces.push(new Blob([piece as Uint8Array<ArrayBuffer>]))
    bytes += piece.length
    tell({ is: "made", bytes })
  }
  const archive = new Blob(pieces, { type: "application/x-tar" })
  const what = await verified(archive, (files, of) => tell({ is: "looked at", files, of }))
  tell({ is: "there", url: URL.createObjectURL(archive), name, bytes, what })
}

const There = ({ of: { url, name, bytes, what } }: { readonly of: Extract<Step, { is: "there" }> }): Node => {
  const [taken, setTaken] = useState(false)
  return html`<ol class="rows steps-done">
    <li><span class="status completed">made</span> ${what.events.toLocaleString("en")} events up to position ${what.to}, ${bytesIn(bytes)}, <${Time} at=${what.finished} /></li>
    <li><span class="status completed">verified</span> ${what.digests ? `All ${what.files} files match the manifest.` : `All ${what.files} files are there and as long as the manifest says. Without TLS, this page can't check digests.`}</li>
    <li><span class=${taken ? "status completed" : "status"}>${taken ? "downloaded" : "not downloaded yet"}</span> <a class="button small" href=${url} download=${name} onClick=${() => setTaken(true)}>Download ${name}</a></li>
  </ol>
  <p class="note">The backup is only in this tab, and lost when the tab closes. Restore it with <code>cairn restore ${name}</code>.</p>`
}

/** Makes a backup of all that the service has, checks it, and hands it over as one file. */
export const Backups = (): Node => {
  useTitle("Backups")
  const [recipient, setRecipient] = useState("")
  const [step, setStep] = useState<Step>({ is: "none" })
  const running = useRef<AbortController | undefined>(undefined)
  const url = step.is === "there" ? step.url : undefined
  useEffect(() => () => (url === undefined ? undefined : URL.revokeObjectURL(url)), [url])
  useEffect(() => () => running.current?.abort(), [])
  const begin = async (event: Event) => {
    event.preventDefault()
    const controller = new AbortController()
    running.current = controller
    setStep({ is: "made", bytes: 0 })
    try {
      await make(recipient.trim(), controller.signal, (next) => controller.signal.aborted || setStep(next))
    } catch (error) {
      setStep(controller.signal.aborted ? { is: "none" } : { is: "failed", message: failure(error) })
    }
  }
  const busy = step.is === "made" || step.is === "looked at"
  if (!may("backups.backup"))
    return html`<div class="page"><header class="title"><h1>Backups</h1></header>
      <${Failed} why="forbidden" message="A backup has the data of every organization: only the service's operator can make one." /></div>`
  return html`<div class="page backups"><header class="title"><h1>Backups</h1></header>
    <p class="description quiet">One file with all data of every organization, made while the service runs. For incremental backups, run <code>cairn backup FOLDER</code> where the service runs.</p>
    <form class="fields" onSubmit=${begin} novalidate>
      <label>Encrypt for <input value=${recipient} placeholder="age1… (optional)" autocomplete="off" spellcheck="false" readonly=${busy} onInput=${(event: Event) => setRecipient(valueOf(event))} /></label>
      ${recipient.trim() === "" && html`<p class="note warn">Without a recipient, the file is as sensitive as the service's data folder: it has all texts and the digests of all keys.</p>`}
      <div class="actions"><${Button} class="primary" busy=${busy}>Make a backup<//>
        ${busy && html`<button type="button" onClick=${() => running.current?.abort()}>Stop</button>`}
        <span role="status">${step.is === "made" && `${bytesIn(step.bytes)} so far…`}${step.is === "looked at" && `${step.files} of ${step.of} files checked…`}</span></div>
    </form>
    ${step.is === "failed" && html`<div class="failed" role="alert"><h2>The backup failed</h2><p><${Text} of=${step.message} /></p></div>`}
    ${step.is === "there" && html`<${There} of=${step} />`}</div>`
}
