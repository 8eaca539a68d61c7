import { useEffect, useRef, useState } from "preact/hooks"
import type { SearchMatch, SearchResponse } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { Empty, whenThere } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { valueOf } from "../parts/valueOf.ts"
import { go, href, route } from "../router.ts"
import { FilterBar, filtersIn } from "../search/Filters.ts"
import { Found } from "../search/Found.ts"
import { Steps } from "../search/Steps.ts"
import type { Session } from "../session.ts"
import { useTitle } from "../title.ts"

/** Milliseconds without another letter before the service is asked. */
const pause = 180
const most = 30

const languagesOf = (matches: ReadonlyArray<SearchMatch>): ReadonlyArray<readonly [string, number]> => {
  const counts = new Map<string, number>()
  for (const { language } of matches) counts.set(language, (counts.get(language) ?? 0) + 1)
  return [...counts].sort((one, other) => other[1] - one[1])
}

/** An answer, and the task that it is for: what it shows may be opened and voted on while another is on its way. */
interface Answered {
  readonly task: string
  readonly answer: SearchResponse
}

/** Says that the newest snippets may be missing: the index has not caught up with them yet (decision 105). */
const Behind = ({ again }: { again: () => void }): Node =>
  html`<p class="note warn" role="status">The newest snippets may be missing: the search index is still catching up. <button type="button" class="small" onClick=${again}>Search again</button></p>`

const Results = ({ answer, task, language }: { answer: SearchResponse; task: string; language: string }): Node => {
  const matches = answer.matches.filter((match) => language === "" || match.language === language)
  if (answer.matches.length === 0)
    return html`<${Empty} title="Nothing found"><p>Try other words or wider filters. A new snippet can be found within a second.</p><//>`
  const languages = languagesOf(answer.matches)
  const mended = answer.mended.map(({ asked, found }) => `${asked} as ${found.join(", ")}`).join("; ")
  const to = (one: string) => href("search", {}, { ...Object.fromEntries(route.value.query), language: one })
  return html`
    <div class="found-head">
      <p role="status">${matches.length} of ${answer.totalFound.toLocaleString("en")} found</p>
      ${
        languages.length > 1 &&
        html`<nav class="facets" aria-label="Languages">
        <a href=${to("")} aria-current=${language === "" ? "true" : undefined}>All</a>
        ${languages.map(([one, count]) => html`<a key=${one} href=${to(one)} aria-current=${one === language ? "true" : undefined}><${Text} of=${one} /> <small>${count}</small></a>`)}
      </nav>`
      }
    </div>
    ${mended !== "" && html`<p class="note">Some words are in no snippet. Read as similar ones: <${Text} of=${mended} /></p>`}
    <ol class="found">${matches.map((match) => html`<${Found} key=${match.codeBlock.id} match=${match} task=${task} />`)}</ol>`
}

/** The search box: finds snippets for a task while it is typed. */
export const Search = (): Node => {
  const { query } = route.value
  const task = query.get("q") ?? ""
  const filters = filtersIn(query)
  const [typed, setTyped] = useState(task)
  const box = useRef<HTMLInputElement>(null)
  const sent = useRef(task)
  useTitle(task === "" ? "Search" : `${task} · Search`)
  // a reader who goes back finds the task that they had typed
  useEffect(() => {
    if (task !== sent.current) setTyped(task)
    sent.current = task
  }, [task])
  useEffect(() => {
    const timer = setTimeout(() => {
      const wanted = typed.trim()
      if (wanted === task) return
      sent.current = wanted
      // not the query of when it was typed: a filter may have been chosen since
      go(href("search", {}, { ...Object.fromEntries(route.value.query), q: wanted, language: "" }), true)
    }, pause)
    return () => clearTimeout(timer)
  }, [typed, task])
  // behind the page's own effect, which takes the focus to its beginning
  useEffect(() => queueMicrotask(() => box.current?.focus({ preventScroll: true })), [])
  const { language, ...asked } = filters
  const search = async ({ cairn }: Session, signal: AbortSignal): Promise<Answered> => ({
    task,
    answer: await cairn
      .withOptions({
        publicSnips: asked.public,
        ...(asked.agent === "" ? {} : { agentId: asked.agent }),
        ...(asked.workspace === "" ? {} : { workspaceId: asked.workspace })
      })
      .snippets.search(
        {
          task,
          topK: most,
          explain: true,
          resultType: asked.kind,
          ...(asked.votes === "any" ? { minVerdictScore: 0 } : {}),
          ...(asked.votes === "for" ? { minHumanUpvotes: 1 } : {})
        },
        { signal }
      )
  })
  const loaded = useLoaded(task === "" ? undefined : JSON.stringify([task, asked]), search, { isKept: true })
  const [now, again] = loaded
  const results = () =>
    whenThere(
      loaded,
      ({
        task,
        answer
      }) => html`<div class=${now.state === "loading" ? "stale" : ""} aria-busy=${now.state === "loading"}>
      ${answer.stale && html`<${Behind} again=${again} />`}
      <${Results} answer=${answer} task=${task} language=${language} /></div>`,
      6
    )
  return html`
    <div class="page search">
      <h1 class="spoken">Search</h1>
      <form role="search" onSubmit=${(event: Event) => event.preventDefault()}>
        <input ref=${box} type="search" aria-label="Task" placeholder="What should the code do?" value=${typed} maxlength="2000" autocomplete="off" spellcheck="false"
          onInput=${(event: InputEvent) => setTyped(valueOf(event))} />
        <${FilterBar} filters=${filters} />
      </form>
      ${task === "" ? html`<${Steps} />` : results()}
    </div>`
}
