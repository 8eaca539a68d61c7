import type { SearchMatch } from "../../../clients/typescript/src/index.ts"
import { Code } from "../code/Code.ts"
import { languageOf } from "../code/languages.ts"
import { html, type Node } from "../html.ts"
import { Copy } from "../parts/Copy.ts"
import { Text } from "../parts/Text.ts"
import { Time } from "../parts/Time.ts"
import { Votes } from "../parts/Votes.ts"
import { Why } from "../parts/Why.ts"
import { href } from "../router.ts"
import { plain } from "../visible.ts"

const shownLines = 8

/** How likely a snippet answers the task, as a number and a bar. */
const Score = ({ of }: { readonly of: number }): Node => {
  const percent = Math.round(of * 100)
  return html`<span class="score" title="How likely the snippet answers the task, votes included">
    <meter min="0" max="100" value=${percent} aria-hidden="true" /><b>${percent}</b> %</span>`
}

/** One of the snippets that were found. */
export const Found = ({ match, task }: { readonly match: SearchMatch; readonly task: string }): Node => {
  const { id, name, source, description, updatedAt } = match.codeBlock
  const to = href("snippet", { id }, { task })
  const lines = source.split("\n").length - (source.endsWith("\n") ? 1 : 0)
  const more = lines - shownLines
  return html`
    <li class=${match.offered ? "" : "unlikely"}>
      <article aria-label=${plain(name)}>
        <header>
          <h2><a href=${to}><${Text} of=${name} /></a></h2>
          <span class="badge"><${Text} of=${match.type === "repo" ? "repository" : match.language} /></span>
          <span class="facts quiet"><${Time} at=${updatedAt} />${match.agentId !== null && html` by <${Text} of=${match.agentId} />`}</span>
          <${Score} of=${match.score} />
        </header>
        ${description !== "" && html`<p class="description"><${Text} of=${description} /></p>`}
        ${match.explanation && html`<${Why} of=${match.explanation} up=${match.thumbsUp} down=${match.thumbsDown} />`}
        <${Code} source=${source} language=${languageOf(match.type === "repo" ? "markdown" : match.language)} label=${`Source of ${plain(name)}`} most=${shownLines} />
        <footer>
          <${Votes} id=${id} name=${name} up=${match.thumbsUp} down=${match.thumbsDown} task=${task} />
          ${!match.offered && html`<span class="quiet">too weak a match to offer to agents</span>`}
          <span class="actions">
            ${more > 0 && html`<a class="button small" href=${to}>${more.toLocaleString("en")} more lines</a>`}
            <${Copy} text=${source} what=${`the source of ${plain(name)}`} />
            <a class="button small" href=${to} aria-label=${`Open ${plain(name)}`}>Open</a>
          </span>
        </footer>
      </article>
    </li>`
}
