import { html, type Node } from "../html.ts"
import { Activity } from "../overview/Activity.ts"
import { Counts } from "../overview/Counts.ts"
import { Health } from "../overview/Health.ts"
import { Requests } from "../overview/Requests.ts"
import { Spent } from "../overview/Spent.ts"
import { may } from "../session.ts"
import { useTitle } from "../title.ts"

/** The service's health and what happens in it, as much as the key may see. */
export const Overview = (): Node => {
  useTitle("Overview")
  return html`<div class="page overview"><header class="title"><h1>Overview</h1></header>
    <${Health} />
    <${Spent} />
    ${may("activity.activity") && html`<${Counts} />`}
    ${may("service.requests") && html`<${Requests} />`}
    ${may("events.eventStream") && html`<${Activity} />`}</div>`
}
