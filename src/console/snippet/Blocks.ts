import { Code } from "../code/Code.ts"
import { languageOf } from "../code/languages.ts"
import { html, type Node } from "../html.ts"
import type { Block, Inline } from "../markdown/blocks.ts"
import { Long } from "../parts/Long.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"

const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/

/** The service's own words. Times in them are shown as elsewhere. */
const Words = ({ of }: { readonly of: string }): Node => {
  const found = instant.exec(of)
  if (found === null) return html`${of}`
  return html`${of.slice(0, found.index)}<${Time} at=${found[0]} /><${Words} of=${of.slice(found.index + found[0].length)} />`
}

/** A line; `bare`: what somebody typed is shown as plain text, and not as code. */
export const Inlines = ({ of, bare = false }: { readonly of: ReadonlyArray<Inline>; readonly bare?: boolean }): Node =>
  html`${of.map(({ is, text }, index) => {
    if (is === "text") return html`<${Words} key=${index} of=${text} />`
    if (is === "strong") return html`<strong key=${index}>${text}</strong>`
    return bare ? html`<${Long} key=${index} of=${text} />` : html`<code key=${index}><${Text} of=${text} /></code>`
  })}`

/** Blocks of the service's Markdown, below a title. */
export const Blocks = ({ of, below = "" }: { readonly of: ReadonlyArray<Block>; readonly below?: string }): Node =>
  html`${of.map((block, index) => {
    if (block.is === "heading") return html`<h3 key=${index}><${Inlines} of=${block.of} /></h3>`
    if (block.is === "paragraph")
      return html`<p key=${index} class="description"><${Inlines} of=${block.of} bare /></p>`
    if (block.is === "list")
      return html`<ul key=${index} class="plain">${block.items.map((item, at) => html`<li key=${at}><${Inlines} of=${item} bare /></li>`)}</ul>`
    return html`<${Code} key=${index} source=${block.text} language=${languageOf(block.language)} label=${block.language === "" ? "Log" : below} />`
  })}`
