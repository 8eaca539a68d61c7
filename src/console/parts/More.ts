import { html, type Node } from "../html.ts"
import { Text } from "./Text.ts"

/** Below a list: what asks for the next page, and why one did not come. */
export const More = ({
  more,
  problem,
  label = "Show more"
}: {
  readonly more: (() => void) | undefined
  readonly problem: string
  readonly label?: string
}): Node => html`
  ${problem && html`<p class="problem" role="alert"><${Text} of=${problem} /></p>`}
  ${more && html`<p class="note"><button type="button" onClick=${more}>${label}</button></p>`}`
