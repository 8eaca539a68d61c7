import { askedIn, queryOf } from "../events/asked.ts"
import { Filters } from "../events/Filters.ts"
import { Log } from "../events/Log.ts"
import { html, type Node } from "../html.ts"
import { Live } from "../live/Live.ts"
import { Failed } from "../parts/States.ts"
import { Text } from "../parts/Text.ts"
import { href, route } from "../router.ts"
import { may } from "../session.ts"
import { useTitle } from "../title.ts"
import { useNames } from "../usage/names.ts"

/** The log: all events, the newest first, updated as they come. */
export const Events = (): Node => {
  useTitle("Events")
  const asked = askedIn(route.value.query)
  const { names, actors } = useNames()
  if (!may("events.newestEvents"))
    return html`<div class="page"><header class="title"><h1>Events</h1></header>
      <${Failed} why="forbidden" message="Only owners and admins can read the log." /></div>`
  const other = href("events", {}, queryOf({ ...asked, oldest: !asked.oldest, asOf: "" }))
  return html`<div class="page log"><header class="title"><h1>Events</h1>
      <div class="actions">${!asked.oldest && asked.asOf === "" && html`<${Live} />`}<a class="button small" href=${other}>${asked.oldest ? "Newest first" : "Oldest first"}</a></div></header>
    <${Filters} asked=${asked} actors=${actors} />
    ${asked.stream !== "" && html`<p class="note">Stream <code><${Text} of=${asked.stream} /></code>. <a href=${href("events", {}, queryOf({ ...asked, stream: "" }))}>All streams</a></p>`}
    <${Log} asked=${asked} names=${names} /></div>`
}
