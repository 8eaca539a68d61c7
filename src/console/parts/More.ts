import { html, type Node } from "../html.ts"
import { Button } from "./Button.ts"
import type { Pages } from "./pages.ts"
import { Text } from "./Text.ts"

/**
 * Who presses it again and again by a key has it below all that came meanwhile: they go on from there, where the next
 * page is. Far from what is seen there would be only its room.
 */
const pressed = (more: () => void) => (event: Event) => {
  ;(event.currentTarget as HTMLElement).scrollIntoView({ block: "nearest" })
  more()
}

/** Below a list: what asks for the next page, why one did not come, or that there is none for who asked for them. */
export const More = ({
  of: { more, isFurther, isBusy, problem },
  label = "Show more"
}: {
  readonly of: Pick<Pages<unknown>, "more" | "isFurther" | "isBusy" | "problem">
  readonly label?: string
}): Node => html`
  ${problem && html`<p class="problem" role="alert"><${Text} of=${problem} /></p>`}
  ${(more || isFurther) && html`<p class="note">${more ? html`<${Button} type="button" busy=${isBusy} onClick=${pressed(more)}>${label}<//>` : html`<span>End of list.</span>`}</p>`}`
