import { html, type Node } from "../html.ts"
import { Activity } from "../overview/Activity.ts"
import { may } from "../session.ts"
import { useTitle } from "../title.ts"

/** How the service is, and what goes on in it. */
export const Overview = (): Node => {
  useTitle("Overview")
  return html`<div class="page overview"><header class="title"><h1>Overview</h1></header>
    ${may("events.eventStream") && html`<${Activity} />`}</div>`
}
