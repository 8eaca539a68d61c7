import { useEffect, useMemo, useState } from "preact/hooks"
import { Code } from "../code/Code.ts"
import { languageOfPath } from "../code/languages.ts"
import { type Children, html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Button } from "../parts/Button.ts"
import { Copy } from "../parts/Copy.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { failure, session } from "../session.ts"
import { plain } from "../visible.ts"
import { bytesIn } from "./bytes.ts"
import type { Place } from "./FileTree.ts"
import { LastChanged } from "./LastChanged.ts"

/** The most bytes for a file to be shown. A larger one can only be downloaded. */
const mostShown = 2 * 1024 * 1024

const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, 8_000).includes(0)

/** The text of a file; `undefined`: it is no text, or not in UTF-8. */
export const textIn = (bytes: Uint8Array): string | undefined => {
  if (isBinary(bytes)) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * An address for bytes: a link can't send the key, so the console loads the file and gives it an address of its own.
 */
const useUrl = (bytes: Uint8Array, type: string): string => {
  const url = useMemo(() => URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type })), [bytes])
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  return url
}

const nameOf = (path: string): string => path.split("/").at(-1)!

const View = ({
  path,
  size,
  actions,
  children
}: {
  readonly path: string
  readonly size: number
  readonly actions: Node
  readonly children?: Children
}): Node => html`<section class="file-view" aria-label=${plain(path)}>
    <header><h2 class="path"><${Text} of=${path} /></h2><span class="quiet">${bytesIn(size)}</span>
      <span class="actions">${actions}</span></header>
    ${children}</section>`

const Content = ({
  path,
  bytes,
  children
}: {
  readonly path: string
  readonly bytes: Uint8Array
  readonly children?: Children
}): Node => {
  const text = useMemo(() => textIn(bytes), [bytes])
  const url = useUrl(bytes, "application/octet-stream")
  // so the browser never takes it for a page, whatever it is
  const raw = useUrl(bytes, "text/plain; charset=utf-8")
  const name = nameOf(path)
  const actions = html`${text !== undefined && html`<${Copy} text=${text} what=${plain(name)} /><a class="button small" href=${raw} target="_blank" rel="noopener">Raw</a>`}
        <a class="button small" href=${url} download=${name}>Download</a>`
  return html`<${View} path=${path} size=${bytes.length} actions=${actions}>
    ${children}
    ${
      text === undefined
        ? html`<p class="note">${isBinary(bytes) ? "Binary file: not shown." : "This file's text is not UTF-8: not shown. Download it instead."}</p>`
        : text === ""
          ? html`<p class="note">Empty file.</p>`
          : html`<${Code} source=${text} language=${languageOfPath(path)} label=${`Content of ${plain(path)}`} />`
    }<//>`
}

const save = (bytes: Uint8Array, name: string): void => {
  const url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>]))
  const link = document.createElement("a")
  Object.assign(link, { href: url, download: name })
  link.click()
  // not every browser has read it by then
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** A file that is too long to show: it is loaded once somebody wants to have it. */
const Long = ({ of, size, children }: { readonly of: Place; readonly size: number; readonly children?: Children }) => {
  const { id, path, at, run, turn } = of
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState("")
  const download = async () => {
    setBusy(true)
    setProblem("")
    try {
      save(await session.value!.cairn.workspaces.file(id, path, { at, run, turn }), nameOf(path))
    } catch (error) {
      setProblem(failure(error))
    }
    setBusy(false)
  }
  const actions = html`<${Button} type="button" class="small" busy=${busy} onClick=${download}>${busy ? "Loading…" : "Download"}<//>`
  return html`<${View} path=${path} size=${size} actions=${actions}>
    ${children}
    <p class="problem" role="alert">${problem && html`<${Text} of=${problem} />`}</p>
    <p class="note">This file is too long to show. Download it instead.</p><//>`
}

/** A file in one state of a workspace, shown as text if it is text. `size`: its bytes, if that is known. */
export const FileView = ({ size = 0, ...of }: Place & { readonly size?: number | undefined }): Node => {
  const { id, path, at, run, turn } = of
  const isLong = size > mostShown
  const name = JSON.stringify([id, path, at, run, turn])
  const loaded = useLoaded(isLong ? undefined : name, ({ cairn }, signal) =>
    cairn.workspaces.file(id, path, { at, run, turn }, { signal })
  )
  const changed = run === undefined && html`<${LastChanged} of=${{ id, path, at }} />`
  if (isLong) return html`<${Long} key=${name} of=${of} size=${size}>${changed}<//>`
  return whenThere(loaded, (bytes) => html`<${Content} key=${name} path=${path} bytes=${bytes}>${changed}<//>`, 8)
}
