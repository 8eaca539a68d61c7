import { html, type Node } from "../html.ts"
import { resumeNow, resuming } from "../session.ts"
import { Waiting } from "./States.ts"
import { Text } from "./Text.ts"

/** While the key that this tab has kept is tried: why that takes so long, if it does. */
export const Resuming = (): Node => html`
  ${resuming.value !== "" && html`<p class="note warn cut-off-note" role="status">You could not be signed in yet. Trying again automatically. <span class="quiet"><${Text} of=${resuming.value} /></span> <button type="button" class="small" onClick=${resumeNow}>Try now</button></p>`}
  <${Waiting} />`
