import { useState } from "preact/hooks"
import { html, type Node } from "../html.ts"
import { failure, mayWrite, session } from "../session.ts"
import { plain } from "../visible.ts"
import { Button } from "./Button.ts"

/** The reader's vote, which is for one task. */
interface Own {
  readonly task: string
  readonly succeeded: boolean
  /** How many votes of its kind the service had told of. Once it tells of others, this one is among them. */
  readonly told: number
}

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
  const [votes, setVotes] = useState<ReadonlyArray<Own>>([])
  const [last, setLast] = useState({ task, said: "" })
  const own = votes.find((one) => one.task === task)?.succeeded
  const said = last.task === task ? last.said : ""
  const vote = async (succeeded: boolean) => {
    if (own !== undefined) return
    const given = { task, succeeded, told: succeeded ? up : down }
    setVotes((before) => [...before, given])
    const say = (said: string) => setLast({ task, said })
    say("")
    try {
      await session.value!.cairn.snippets.vote({ codeBlockId: id, succeeded, task })
      say(succeeded ? "Voted for it" : "Voted against it")
    } catch (error) {
      setVotes((before) => before.filter((one) => one !== given))
      say(failure(error))
    }
  }
  const untold = (kind: boolean, now: number) =>
    votes.filter(({ succeeded, told }) => succeeded === kind && told === now).length
  const counts = [up + untold(true, up), down + untold(false, down)] as const
  if (!mayWrite.value) return html`<span class="votes quiet">${counts[0]} for, ${counts[1]} against</span>`
  const button = (succeeded: boolean, count: number, sign: string, label: string) => html`
    <${Button} type="button" class="small vote" aria-pressed=${own === succeeded} settled=${own !== undefined && own !== succeeded}
      onClick=${() => vote(succeeded)} aria-label=${`${label}: ${count} so far`}>${sign} ${count}<//>`
  return html`<span class="votes">
    ${button(true, counts[0], "▲", `${plain(name)} helped`)}${button(false, counts[1], "▼", `${plain(name)} did not help`)}
    <span class="said" role="status">${said}</span></span>`
}
