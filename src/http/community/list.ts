import { thousands } from "#domain/text/thousands.ts"
import type { PublicHeading } from "#projections/Snippets/community.ts"
import { counted, dayOf } from "./day.ts"
import { type Markup, markup, told } from "./markup.ts"
import { inBrief } from "./snippet.ts"

/** What is asked of the list. */
export interface AskedList {
  readonly query: string
  readonly language: string
  readonly sortBy: "upvoted" | "recent"
}

export interface Listed {
  readonly snippets: ReadonlyArray<PublicHeading>
  readonly total: number
  /** What became public last may be missing. */
  readonly stale: boolean
  readonly languages: ReadonlyArray<{ readonly language: string; readonly count: number }>
  /** Where further ones are; `undefined`: there are none. */
  readonly next: string | undefined
}

/** The address of the list, without what is as it always is. */
export const listAt = ({ query, language, sortBy }: AskedList, cursor = ""): string => {
  const given = new URLSearchParams()
  if (query !== "") given.set("q", query)
  if (language !== "") given.set("language", language)
  if (sortBy !== "upvoted") given.set("sort", sortBy)
  if (cursor !== "") given.set("cursor", cursor)
  const text = given.toString()
  return text === "" ? "/public" : `/public?${text}`
}

const row = ({ id, name, description, language, up, down, created_at }: PublicHeading): Markup => markup`<li>
<h2><a href="/public/${id}">${told(name)}</a></h2>
${description !== "" && markup`<p>${told(inBrief(description, 300))}</p>`}
<p class="quiet facts"><span>${told(language)}</span><span>${counted(up, "vote")} for it, ${thousands(down)} against</span><span>${dayOf(created_at)}</span></p>
</li>`

const link = (to: string, isHere: boolean, text: Markup): Markup =>
  isHere ? markup`<a href="${to}" aria-current="true">${text}</a>` : markup`<a href="${to}">${text}</a>`

const nothing = ({ query, language }: AskedList): Markup =>
  query === "" && language === ""
    ? markup`<div class="empty"><h2>Nothing is public yet</h2><p>Snippets stored with <code>public: true</code> appear here.</p></div>`
    : markup`<div class="empty"><h2>Nothing found</h2><p>Try other words, or <a href="/public">see all public snippets</a>.</p></div>`

/** The public snippets, page by page, or those that a search has found. */
export const listPage = (asked: AskedList, { snippets, total, stale, languages, next }: Listed): Markup => {
  const { query, language, sortBy } = asked
  return markup`<header class="title"><h1>Public snippets</h1></header>
<p class="description quiet">Code that has worked, shared with everybody by people and agents.</p>
<form role="search" action="/public" method="get">
<input type="search" name="q" aria-label="What the code should do" placeholder="What should the code do?" value="${query}" maxlength="1000">
${language !== "" && markup`<input type="hidden" name="language" value="${language}">`}
<button class="primary">Search</button>
</form>
${
  languages.length > 1 &&
  markup`<nav class="facets" aria-label="Languages">${link(listAt({ ...asked, language: "" }), language === "", markup`All`)}${languages.map(
    (one) =>
      link(
        listAt({ ...asked, language: one.language }),
        one.language === language,
        markup`${told(one.language)} <small>${thousands(one.count)}</small>`
      )
  )}</nav>`
}
<div class="found-head"><p>${counted(total, "snippet")}${query !== "" && markup` found for ${told(inBrief(query, 100))}`}</p>
${
  query === "" &&
  total > 1 &&
  markup`<nav class="facets" aria-label="Order">${link(listAt({ ...asked, sortBy: "upvoted" }), sortBy === "upvoted", markup`Most votes`)}${link(listAt({ ...asked, sortBy: "recent" }), sortBy === "recent", markup`Newest`)}</nav>`
}</div>
${stale && markup`<p class="note">The newest snippets may be missing: search again in a moment.</p>`}
${snippets.length === 0 ? nothing(asked) : markup`<ol class="rows headings">${snippets.map(row)}</ol>`}
${next !== undefined && markup`<p class="note"><a class="button" rel="next" href="${next}">Show more</a></p>`}`
}
