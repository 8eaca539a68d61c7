import { useEffect, useMemo } from "preact/hooks"
import { Code } from "../code/Code.ts"
import { languageOfPath } from "../code/languages.ts"
import { type Children, html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Copy } from "../parts/Copy.ts"
import { whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { plain } from "../visible.ts"
import { bytesIn } from "./bytes.ts"
import type { Place } from "./FileTree.ts"
import { LastChanged } from "./LastChanged.ts"

/** The most bytes for a file to be shown. A larger one can only be downloaded. */
const mostShown = 2 * 1024 * 1024

/** The text of a file; `undefined`: it is no text. */
export const textIn = (bytes: Uint8Array): string | undefined => {
  if (bytes.subarray(0, 8_000).includes(0)) return undefined
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

const Content = ({
  path,
  bytes,
  children
}: {
  readonly path: string
  readonly bytes: Uint8Array
  readonly children?: Children
}): Node => {
  const text = useMemo(() => (bytes.length > mostShown ? undefined : textIn(bytes)), [bytes])
  const url = useUrl(bytes, "application/octet-stream")
  // so the browser never takes it for a page, whatever it is
  const raw = useUrl(bytes, "text/plain; charset=utf-8")
  const name = path.split("/").at(-1)!
  return html`<section class="file-view" aria-label=${plain(path)}>
    <header><h2 class="path"><${Text} of=${path} /></h2><span class="quiet">${bytesIn(bytes.length)}</span>
      <span class="actions">${text !== undefined && html`<${Copy} text=${text} what=${plain(name)} /><a class="button small" href=${raw} target="_blank" rel="noopener">Raw</a>`}
        <a class="button small" href=${url} download=${name}>Download</a></span></header>
    ${children}
    ${
      text === undefined
        ? html`<p class="note">${bytes.length > mostShown ? "This file is too long to show. Download it instead." : "Binary file: not shown."}</p>`
        : text === ""
          ? html`<p class="note">Empty file.</p>`
          : html`<${Code} source=${text} language=${languageOfPath(path)} label=${`Content of ${plain(path)}`} />`
    }</section>`
}

/** A file in one state of a workspace, shown as text if it is text. */
export const FileView = ({ id, path, at, run, turn }: Place): Node => {
  const loaded = useLoaded(JSON.stringify([id, path, at, run, turn]), ({ cairn }, signal) =>
    cairn.workspaces.file(id, path, { at, run, turn }, { signal })
  )
  return whenThere(
    loaded,
    (bytes) =>
      html`<${Content} path=${path} bytes=${bytes}>${run === undefined && html`<${LastChanged} of=${{ id, path, at }} />`}<//>`,
    8
  )
}
