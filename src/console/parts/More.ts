import { html, type Node } from "../html.ts"
import { Button } from "./Button.ts"
import type { Pages } from "./pages.ts"
import { Text } from "./Text.ts"

/**
 * For readers who press the button again and again by keyboard: after each page it is below the new rows. It is
 * scrolled into sight before the next page comes, because rows far from what is seen are only an empty box.
 */
const pressed = (more: () => void) => (event: Event) => {
  ;(event.currentTarget as HTMLElement).scrollIntoView({ block: "nearest" })
  more()
}

/** Below a list: a button for the next page, why one did not come, or, after the last one, that there are no more. */
export const More = ({
  of: { more, isFurther, isBusy, problem },
  label = "Show more"
}: {
  readonly of: Pick<Pages<unknown>, "more" | "isFurther" | "isBusy" | "problem">
  readonly label?: string
}): Node => html`
  ${problem && html`<p class="problem" role="alert"><${Text} of=${problem} /></p>`}
  ${(more || isFurther) && html`<p class="note">${more ? html`<${Button} type="button" busy=${isBusy} onClick=${pressed(more)}>${label}<//>` : html`<span>End of list.</span>`}</p>`}`
