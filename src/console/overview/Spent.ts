import { html, type Node } from "../html.ts"
import { useEvery } from "../live/useEvery.ts"
import { useAgain } from "../live/useLive.ts"
import { useLoaded } from "../loading.ts"
import { dollars } from "../parts/figures.ts"
import { whenThere } from "../parts/States.ts"
import { may } from "../session.ts"
import { rest, slowly } from "./pace.ts"

const count = (number: number): string => number.toLocaleString("en", { notation: "compact" })

/** A number with a title. */
export const Figure = ({ title, value, more }: { title: string; value: string; more?: string | undefined }): Node =>
  html`<div class="figure"><dt>${title}</dt><dd>${value}</dd>${more !== undefined && html`<dd class="quiet">${more}</dd>`}</div>`

/** What chats took today: the whole organization's if the key may see them, else the key's own. */
export const Spent = (): Node => {
  const today = new Date().toISOString().slice(0, 10)
  const loaded = useLoaded(`spent ${today}`, ({ cairn }, signal) =>
    cairn.usage({ since: today, until: today }, { signal })
  )
  useAgain(["ModelTurned", "ChatRequested", "SnippetUploaded", "SnippetDeleted"], loaded[1], 2_000, rest)
  // so that the day changes, too
  useEvery(slowly, loaded[1])
  const whose = may("usage.setBounds") ? "By the organization" : "By this key"
  return whenThere(
    loaded,
    ({ total, stored }) => html`<dl class="figures" aria-label="Today">
      <${Figure} title="Spent today (UTC)" value=${total.cost === null ? "not known" : dollars(total.cost)} more=${total.cost === null ? "a model has no price" : whose} />
      <${Figure} title="Chats today (UTC)" value=${count(total.chats)} more=${`${count(total.turns)} turns`} />
      <${Figure} title="Tokens today (UTC)" value=${count(total.inputTokens + total.outputTokens)} more=${`${count(total.outputTokens)} written`} />
      ${stored !== null && html`<${Figure} title="Snippets" value=${count(stored.snippets)} />`}
    </dl>`,
    2
  )
}
