import { useState } from "preact/hooks"
import { html, type Node } from "../html.ts"
import { failure, mayWrite, session } from "../session.ts"
import { plain } from "../visible.ts"
import { Button } from "./Button.ts"

/** A snippet's votes, and buttons for the reader's own: for a task, if there is one. */
export const Votes = ({
  id,
  name,
  up,
  down,
  task
}: {
  id: string
  name: string
  up: number
  down: number
  task?: string | undefined
}): Node => {
  const [own, setOwn] = useState<boolean | undefined>()
  const [said, setSaid] = useState("")
  const vote = async (succeeded: boolean) => {
    if (own !== undefined) return
    setOwn(succeeded)
    try {
      await session.value!.cairn.snippets.vote({ codeBlockId: id, succeeded, task: task ?? name })
      setSaid(succeeded ? "Voted for it" : "Voted against it")
    } catch (error) {
      setOwn(undefined)
      setSaid(failure(error))
    }
  }
  const counts = [up + (own === true ? 1 : 0), down + (own === false ? 1 : 0)] as const
  if (!mayWrite.value) return html`<span class="votes quiet">${counts[0]} for, ${counts[1]} against</span>`
  const button = (succeeded: boolean, count: number, sign: string, label: string) => html`
    <${Button} type="button" class="small vote" aria-pressed=${own === succeeded} settled=${own !== undefined && own !== succeeded}
      onClick=${() => vote(succeeded)} aria-label=${`${label}: ${count} so far`}>${sign} ${count}<//>`
  return html`<span class="votes">
    ${button(true, counts[0], "▲", `${plain(name)} helped`)}${button(false, counts[1], "▼", `${plain(name)} did not help`)}
    <span class="said" role="status">${said}</span></span>`
}
