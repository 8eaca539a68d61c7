import { html, type Node } from "../html.ts"
import { Button } from "./Button.ts"
import type { Pages } from "./pages.ts"
import { Text } from "./Text.ts"

/** Below a list: what asks for the next page, why one did not come, or that there is none for who asked for them. */
export const More = ({
  of: { more, isFurther, isBusy, problem },
  label = "Show more"
}: {
  readonly of: Pick<Pages<unknown>, "more" | "isFurther" | "isBusy" | "problem">
  readonly label?: string
}): Node => html`
  ${problem && html`<p class="problem" role="alert"><${Text} of=${problem} /></p>`}
  ${(more || isFurther) && html`<p class="note">${more ? html`<${Button} type="button" busy=${isBusy} onClick=${more}>${label}<//>` : html`<span>That is all.</span>`}</p>`}`
