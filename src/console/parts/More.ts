import { html, type Node } from "../html.ts"
import { Button } from "./Button.ts"
import type { Pages } from "./pages.ts"
import { Text } from "./Text.ts"

/** Below a list: what asks for the next page, and why one did not come. */
export const More = ({
  of: { more, isBusy, problem },
  label = "Show more"
}: {
  readonly of: Pick<Pages<unknown>, "more" | "isBusy" | "problem">
  readonly label?: string
}): Node => html`
  ${problem && html`<p class="problem" role="alert"><${Text} of=${problem} /></p>`}
  ${more && html`<p class="note"><${Button} type="button" busy=${isBusy} onClick=${more}>${label}<//></p>`}`
