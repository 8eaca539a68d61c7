import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { type Block, blocksOf, type Inline } from "../markdown/blocks.ts"
import { Copy } from "../parts/Copy.ts"
import { Erase } from "../parts/Erase.ts"
import { wholePage } from "../parts/States.ts"
import { Votes } from "../parts/Votes.ts"
import { href, route } from "../router.ts"
import { Blocks, Inlines } from "../snippet/Blocks.ts"
import { Comments } from "../snippet/Comments.ts"
import { Executions } from "../snippet/Executions.ts"
import { FoundFor } from "../snippet/FoundFor.ts"
import { SnippetFunctions } from "../snippet/Functions.ts"
import { History } from "../snippet/History.ts"
import { useTitle } from "../title.ts"

const textOf = (of: ReadonlyArray<Inline>): string => of.map(({ text }) => text).join("")

/** A fact of the page's first list, by its name. */
const factIn = (blocks: ReadonlyArray<Block>, name: string): string | undefined => {
  const list = blocks.find((block) => block.is === "list")
  const item = list?.items.find((item) => textOf(item).startsWith(`${name}: `))
  return item && textOf(item).slice(name.length + 2)
}

const votesIn = (blocks: ReadonlyArray<Block>): { readonly up: number; readonly down: number } => {
  const [, up = "0", down = "0"] = /^\+(\d+) −(\d+)$/.exec(factIn(blocks, "Votes") ?? "") ?? []
  return { up: Number(up), down: Number(down) }
}

/** The blocks in sections: those before the first heading of the second level, and those below each of these. */
const sectionsOf = (blocks: ReadonlyArray<Block>) => {
  const sections: Array<{ title: string; blocks: Array<Block> }> = [{ title: "", blocks: [] }]
  for (const block of blocks) {
    if (block.is === "heading" && block.level === 2) sections.push({ title: textOf(block.of), blocks: [] })
    else sections.at(-1)!.blocks.push(block)
  }
  return sections
}

const shownFacts = (blocks: ReadonlyArray<Block>): ReadonlyArray<ReadonlyArray<Inline>> =>
  blocks
    .flatMap((block) => (block.is === "list" ? block.items : []))
    .filter((item) => !/^(Id|Votes): /.test(textOf(item)))

const Sheet = ({
  id,
  page,
  task
}: {
  readonly id: string
  readonly page: string
  readonly task: string | undefined
}): Node => {
  const [head, ...sections] = sectionsOf(blocksOf(page))
  const blocks = head!.blocks
  const heading = blocks.find((block) => block.is === "heading")
  const name = heading === undefined ? id : textOf(heading.of)
  const source = sections.find(({ title }) => title === "Source")?.blocks.find((block) => block.is === "code")
  useTitle(name)
  return html`
    <header class="title">
      <p class="crumbs"><a href=${href("search", {}, { q: task })}>Search</a></p>
      <h1>${heading && html`<${Inlines} of=${heading.of} bare />`}</h1>
      <div class="actions">
        <${Votes} key=${id} id=${id} name=${name} task=${task} ...${votesIn(blocks)} />
        ${source && html`<${Copy} text=${source.text} label="Copy source" what="" />`}
        <${Erase} kind="snippet" id=${id} name=${name} />
      </div>
    </header>
    <div class="sheet">
      <div class="text-column">
        <${Blocks} of=${blocks.filter(({ is }) => is === "paragraph")} />
        ${sections.filter(({ title }) => title !== "Tasks").map(({ title, blocks }) => html`<section key=${title}><h2>${title}</h2><${Blocks} of=${blocks} below=${title} /></section>`)}
        <${SnippetFunctions} id=${id} />
        <${Executions} id=${id} />
        <${FoundFor} id=${id} />
        <${Comments} id=${id} />
        <${History} id=${id} />
      </div>
      <aside aria-label="Facts">
        <section><h2>Facts</h2><ul class="facts-list">
          ${shownFacts(blocks).map((item, index) => html`<li key=${index}><${Inlines} of=${item} /></li>`)}
          <li>Id: <code>${id}</code></li>
        </ul></section>
        ${sections.filter(({ title }) => title === "Tasks").map(({ title, blocks }) => html`<section key=${title}><h2>${title}</h2><${Blocks} of=${blocks} below=${title} /></section>`)}
      </aside>
    </div>`
}

/** One snippet: what the service's own page says of it, its executions, and its history from the log. */
export const SnippetPage = (): Node => {
  const { parameters, query } = route.value
  const id = parameters["id"]!
  useTitle("Snippet")
  const page = useLoaded(id, ({ cairn }, signal) => cairn.snippets.markdown(id, { signal }))
  return html`<div class="page snippet">${wholePage("Snippet", page, (page) => html`<${Sheet} id=${id} page=${page} task=${query.get("task") ?? undefined} />`, 10)}</div>`
}
