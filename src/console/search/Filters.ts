import { useEffect, useState } from "preact/hooks"
import { html, type Node } from "../html.ts"
import { valueOf } from "../parts/valueOf.ts"
import { go, href, route } from "../router.ts"

/** A search's filters, as the page's address has them. */
export interface Filters {
  readonly kind: "any" | "file" | "repo"
  /** `fair`: without snippets that were voted down; `for`: only those that somebody voted for. */
  readonly votes: "fair" | "any" | "for"
  readonly agent: string
  readonly workspace: string
  readonly public: boolean
  readonly language: string
}

const oneOf = <T extends string>(given: string | null, first: T, ...others: ReadonlyArray<T>): T =>
  others.find((one) => one === given) ?? first

/** The filters in an address's query. */
export const filtersIn = (query: URLSearchParams): Filters => ({
  kind: oneOf(query.get("kind"), "any", "file", "repo"),
  votes: oneOf(query.get("votes"), "fair", "any", "for"),
  agent: query.get("agent")?.trim() ?? "",
  workspace: query.get("workspace")?.trim() ?? "",
  public: query.get("public") === "true",
  language: query.get("language") ?? ""
})

const set = (name: string, value: string | boolean): void =>
  go(href("search", {}, { ...Object.fromEntries(route.value.query), [name]: value }), true)

const Choice = ({
  name,
  label,
  value,
  options
}: {
  name: string
  label: string
  value: string
  options: ReadonlyArray<readonly [string, string]>
}): Node => html`
  <label>${label} <select value=${value} onChange=${(event: Event) => set(name, valueOf(event))}>
    ${options.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}
  </select></label>`

const Named = ({
  name,
  label,
  value
}: {
  readonly name: string
  readonly label: string
  readonly value: string
}): Node => {
  // what somebody types stays while answers come
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  return html`<label>${label} <input value=${typed} size="14" spellcheck="false" autocomplete="off" onInput=${(event: Event) => setTyped(valueOf(event))}
    onChange=${(event: Event) => set(name, valueOf(event).trim())} /></label>`
}

/** A search's filters. Those that few need are behind a button, unless they are in use. */
export const FilterBar = ({ filters }: { readonly filters: Filters }): Node => {
  const used = filters.agent !== "" || filters.workspace !== ""
  const [open, setOpen] = useState(used)
  return html`<div class="filters">
    <${Choice} name="kind" label="Kind" value=${filters.kind} options=${[["any", "any"], ["file", "files"], ["repo", "repositories"]]} />
    <${Choice} name="votes" label="Votes" value=${filters.votes} options=${[["fair", "not voted down"], ["for", "voted up"], ["any", "any"]]} />
    <label class="check"><input type="checkbox" checked=${filters.public} onChange=${() => set("public", !filters.public)} /> Public snippets of others</label>
    ${
      open
        ? html`<${Named} name="agent" label="Agent" value=${filters.agent} /><${Named} name="workspace" label="Customer" value=${filters.workspace} />`
        : html`<button type="button" class="bare" onClick=${() => setOpen(true)}>More…</button>`
    }
  </div>`
}
