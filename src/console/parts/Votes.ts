import { useState } from "preact/hooks"
import { html, type Node } from "../html.ts"
import { failure, mayWrite, session } from "../session.ts"
import { plain } from "../visible.ts"
import { Button } from "./Button.ts"
import { giveVote, ownVotes } from "./ownVotes.ts"

/** A snippet's votes, and buttons for the reader's own: for a task, if there is one. */
export const Votes = ({
  id,
  name,
  up,
  down,
  task = name
}: {
  id: string
  name: string
  up: number
  down: number
  task?: string | undefined
}): Node => {
  const votes = ownVotes(id)
  const [last, setLast] = useState({ task, said: "" })
  const own = votes.find((one) => one.task === task)
  const said = last.task === task ? last.said : ""
  const vote = async (succeeded: boolean) => {
    if (own?.is === "sent") return
    const say = (said: string) => setLast({ task, said })
    say("")
    try {
      await giveVote(session.value!, { id, task, succeeded, told: succeeded ? up : down })
      say(succeeded ? "Voted for it" : "Voted against it")
    } catch (error) {
      say(failure(error))
    }
  }
  const untold = (kind: boolean, now: number) =>
    votes.filter(({ is, succeeded, told }) => is === "sent" && succeeded === kind && told === now).length
  const counts = [up + untold(true, up), down + untold(false, down)] as const
  if (!mayWrite.value) return html`<span class="votes quiet">${counts[0]} for, ${counts[1]} against</span>`
  const button = (succeeded: boolean, count: number, sign: string, label: string) => html`
    <${Button} type="button" class="small vote" aria-pressed=${own?.is === "sent" && own.succeeded === succeeded} settled=${own !== undefined && own.succeeded !== succeeded}
      onClick=${() => vote(succeeded)} aria-label=${`${label}: ${count} so far`}>${sign} ${count}<//>`
  return html`<span class="votes">
    ${button(true, counts[0], "▲", `${plain(name)} helped`)}${button(false, counts[1], "▼", `${plain(name)} did not help`)}
    <span class="said" role="status">${said}</span></span>`
}
