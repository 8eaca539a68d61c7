import { beginningOf } from "#domain/text/beginningOf.ts"
import { thousands } from "#domain/text/thousands.ts"
import type { PublicEntry } from "#projections/Snippets/community.ts"
import { plain } from "#src/console/visible.ts"
import { counted, dayOf } from "./day.ts"
import type { About } from "./frame.ts"
import { type Markup, markup, told, visible } from "./markup.ts"

/** Characters of a source, and of one of its lines, that a page shows. */
const mostShown = 200_000
const mostOfLine = 2_000
/** Characters of a description: a browser may take the square of them, where there is no blank. */
const mostDescribed = 10_000
/** Characters of what is said of a page elsewhere. */
const mostSaid = 200

const cut = (text: string, most: number): string => (text.length <= most ? text : `${beginningOf(text, most - 1)}…`)

/** A text on one line, for titles and what others show of a page. */
export const inBrief = (text: string, most = mostSaid): string => cut(plain(text).replace(/\s+/g, " ").trim(), most)

/** How much of a text is not shown, where so many characters are. */
const cutAt = (text: string, most: number): Markup | false =>
  text.length > most && markup`<span class="cut">… ${thousands(text.length - most)} more characters</span>`

const line = (text: string, index: number): Markup =>
  markup`<div class="line" data-line="${index + 1}"><code>${visible(text.slice(0, mostOfLine))}${cutAt(text, mostOfLine)}
</code></div>`

const linesIn = (source: string): ReadonlyArray<string> => {
  const lines = source.slice(0, mostShown).replaceAll("\r\n", "\n").split("\n")
  // the end of the last line is no line
  return lines.length > 1 && lines.at(-1) === "" ? lines.slice(0, -1) : lines
}

/** What is said of a public snippet's page. */
export const aboutSnippet = ({ name, description, language }: PublicEntry, url: string | undefined): About => ({
  title: `${inBrief(name, 80)} · Cairn`,
  description: description === "" ? `Code in ${inBrief(language, 40)} that has worked.` : inBrief(description),
  url,
  isArticle: true
})

/** A public snippet, for who has no key: its source, and what everybody may know of it. */
export const snippetPage = (snippet: PublicEntry): Markup => {
  const { id, name, description, source, language, entrypoint, up, down, created_at } = snippet
  const lines = linesIn(source)
  const text = `/public/${id}.txt`
  return markup`<header class="title">
<p class="crumbs"><a href="/public">Public snippets</a></p>
<h1>${told(name)}</h1>
<div class="actions"><a class="button small" href="${text}">Plain text</a></div>
</header>
<div class="sheet">
<div class="text-column">
${description !== "" && markup`<p class="description">${told(description.slice(0, mostDescribed))}${cutAt(description, mostDescribed)}</p>`}
<section><h2>Source</h2>
<div class="code" tabindex="0" role="region" aria-label="Source of ${inBrief(name, 80)}"><div class="chunk">${lines.map(line)}</div></div>
${source.length > mostShown && markup`<p class="note">The first ${thousands(mostShown)} of ${thousands(source.length)} characters. <a href="${text}">Show all</a></p>`}
</section>
</div>
<aside aria-label="Facts"><section><h2>Facts</h2><ul class="facts-list">
<li>Language: ${told(language)}</li>
${entrypoint !== "" && markup`<li>Entrypoint: <code>${told(entrypoint)}</code></li>`}
<li>${counted(up, "vote")} for it, ${thousands(down)} against</li>
<li>Stored: ${dayOf(created_at)}</li>
<li>Id: <code>${id}</code></li>
</ul></section>
<p class="note">Somebody published this. Read it before you run it.</p></aside>
</div>`
}
