import { useEffect, useRef, useState } from "preact/hooks"
import type { UsageReport } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Renewed } from "../live/Renewed.ts"
import { useLoaded } from "../loading.ts"
import { Figure } from "../overview/Spent.ts"
import { whenThere } from "../parts/States.ts"
import { go, href, route } from "../router.ts"
import { may } from "../session.ts"
import { useTitle } from "../title.ts"
import { type Asked, askedIn, type Group, groups, isDay, monthsBefore } from "../usage/asked.ts"
import { BoundsSpent } from "../usage/Bounds.ts"
import { useNames } from "../usage/names.ts"
import { costOf, Rows } from "../usage/Rows.ts"
import { SetBounds } from "../usage/SetBounds.ts"
import { bytesIn } from "../workspaces/bytes.ts"

const changing = ["ChatRequested", "ModelTurned", "BoundsSet", "SnippetUploaded", "SnippetDeleted"]

const month = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" })
const called: { readonly [group in Group]: string } = {
  day: "By day",
  model: "By model",
  user: "By person",
  key: "By key",
  workspace: "By workspace"
}

/** Asks for a day. It is chosen once it is whole: until then, what is typed stays. */
const Day = ({
  label,
  value,
  max,
  choose
}: {
  readonly label: string
  readonly value: string
  readonly max?: string
  readonly choose: (day: string) => void
}): Node => {
  const [typed, setTyped] = useState(value)
  const sent = useRef(value)
  // the answer to what was chosen comes when more may be typed
  useEffect(() => {
    if (value !== sent.current) setTyped(value)
    sent.current = value
  }, [value])
  const type = (event: Event) => {
    const field = event.target as HTMLInputElement
    setTyped(field.value)
    // a date of which a part is missing has "", as if it were empty, but is not valid
    if (!field.validity.valid || (field.value !== "" && !isDay(field.value))) return
    sent.current = field.value
    choose(field.value)
  }
  return html`<label>${label} <input type="date" value=${typed} max=${max} onInput=${type} onBlur=${() => setTyped(value)} /></label>`
}

const Time = ({ asked, now }: { readonly asked: Asked; readonly now: number }): Node => {
  const to = (part: Partial<Asked>) => href("usage", {}, { ...asked, ...part })
  const day = (name: "since" | "until") => (day: string) => go(to({ [name]: day }), true)
  return html`<div class="filters">
    <nav class="facets" aria-label="Months">${monthsBefore(now, 3).map(
      ({ since, until }) =>
        html`<a key=${since} href=${to({ since, until })} aria-current=${asked.since === since && asked.until === until ? "true" : undefined}>${month.format(Date.parse(since))}</a>`
    )}</nav>
    <${Day} label="From" value=${asked.since} max=${asked.until} choose=${day("since")} />
    <${Day} label="to" value=${asked.until} choose=${day("until")} />
    <span class="quiet">UTC days</span></div>`
}

/** What chats used, beside its bounds: the whole organization's if the key may see it, else the key's own. */
export const Usage = (): Node => {
  useTitle("Usage")
  const now = Date.now()
  const asked = askedIn(route.value.query, now)
  const { names } = useNames()
  const loaded = useLoaded(JSON.stringify(["usage", asked]), ({ cairn }, signal) => cairn.usage(asked, { signal }), {
    isKept: true
  })
  const [, again] = loaded
  // what was asked for before stays until the answer comes, but not as if it were that
  const staleIf = ({ by, since, until }: UsageReport) =>
    by === asked.by && since === asked.since && until === asked.until ? "" : "stale"
  return html`<div class="page usage"><header class="title"><h1>Usage</h1>
      <p class="quiet">${may("usage.setBounds") ? "For the whole organization." : "For this key."} Costs use current prices.</p>
      <${Renewed} by=${changing} list=${{ first: loaded }} pause=${5_000} /></header>
    <${Time} asked=${asked} now=${now} />
    ${whenThere(
      loaded,
      (of) => html`<dl class=${`figures ${staleIf(of)}`} aria-label="Totals">
          <${Figure} title="Chats" value=${of.total.chats.toLocaleString("en")} more=${`${of.total.turns.toLocaleString("en")} turns`} />
          <${Figure} title="Tokens" value=${(of.total.inputTokens + of.total.outputTokens).toLocaleString("en")} more=${`${of.total.outputTokens.toLocaleString("en")} written`} />
          <${Figure} title="Cost" value=${costOf(of.total.cost)} more=${of.total.cost === null ? "a model has no price" : undefined} />
          ${of.stored !== null && html`<${Figure} title="Stored now" value=${`${of.stored.snippets.toLocaleString("en")} ${of.stored.snippets === 1 ? "snippet" : "snippets"}`} more=${`${bytesIn(of.stored.repositoryBytes)} of commits`} />`}
        </dl>
        <section class=${staleIf(of)}><header class="heads"><h2>Bounds</h2><${SetBounds} again=${again} /></header><${BoundsSpent} of=${of} names=${names} /></section>
        <section class=${staleIf(of)}><nav class="tabs" aria-label="Group by">${groups.map((by) => html`<a key=${by} href=${href("usage", {}, { ...asked, by })} aria-current=${by === asked.by ? "page" : undefined}>${called[by]}</a>`)}</nav>
          <${Rows} of=${of} by=${of.by as Group} names=${names} /></section>`,
      8
    )}</div>`
}
