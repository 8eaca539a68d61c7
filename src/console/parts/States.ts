import { type Children, html, type Node } from "../html.ts"
import type { Fault, Loaded } from "../loading.ts"
import { Button } from "./Button.ts"
import { Text } from "./Text.ts"

/** In place of content that is not there yet: what it would be, and how it gets there. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: Children }): Node =>
  html`<div class="empty"><${Stones} /><h2>${title}</h2><div>${children}</div></div>`

const Stones = (): Node => html`
  <svg class="stones" viewBox="0 0 64 56" width="64" height="56" aria-hidden="true">
    <ellipse cx="32" cy="47" rx="24" ry="7" /><ellipse cx="33" cy="33" rx="17" ry="6" />
    <ellipse cx="31" cy="21" rx="11" ry="5" /><ellipse cx="33" cy="11" rx="6" ry="3.6" />
  </svg>`

/** Grey lines in the place of content that is on its way. */
export const Waiting = ({ lines = 4 }: { readonly lines?: number }): Node => html`
  <div class="waiting" role="status"><span class="spoken">Loading…</span>
    ${Array.from({ length: lines }, (_, index) => html`<div key=${index} class="line" />`)}
  </div>`

const titles = { missing: "There is nothing here", forbidden: "This key has no access", other: "That did not work" }

/** Why something could not be loaded, in the service's words, and what can be done. */
export const Failed = ({
  why,
  message,
  again,
  isAgain = false
}: Fault & {
  readonly again?: (() => void) | undefined
  /** Whether it is being loaded again. */
  readonly isAgain?: boolean
}): Node => html`
  <div class=${`failed ${why}`} role="alert">
    <h2>${titles[why]}</h2>
    <p><${Text} of=${message} /></p>
    ${why === "other" && again && html`<${Button} type="button" busy=${isAgain} onClick=${again}>Try again<//>`}
  </div>`

/** Above content that could not be loaded again: it is as it was before. */
const Outdated = ({
  message,
  again,
  isAgain
}: {
  readonly message: string
  readonly again: () => void
  readonly isAgain: boolean
}): Node => html`
  <p class="note warn" role="alert">This could not be loaded again, and may have changed. <span class="quiet"><${Text} of=${message} /></span> <${Button} type="button" class="small" busy=${isAgain} onClick=${again}>Try again<//></p>`

/** A page's whole content, which has its own title, or, until it is there, what is shown in its place, with a title. */
export const wholePage = <T>(
  title: string,
  loaded: readonly [Loaded<T>, () => void],
  show: (value: T) => Node,
  lines?: number
): Node => {
  const isThere = loaded[0].value !== undefined
  return html`${!isThere && html`<h1 class="spoken">${title}</h1>`}${whenThere(loaded, show, lines)}`
}

/** What was loaded, or what is shown in its place. What could not be loaded again stays, below a note. */
export const whenThere = <T>(
  [loaded, again]: readonly [Loaded<T>, () => void],
  show: (value: T) => Node,
  lines?: number
): Node => {
  const { value, fault } = loaded
  const more = { again, isAgain: loaded.state === "loading" }
  // each in a place of its own: what is typed in the content stays when the fault comes, and the focus when it goes
  return html`${fault && (value === undefined ? html`<${Failed} ...${fault} ...${more} />` : html`<${Outdated} message=${fault.message} ...${more} />`)}${
    value !== undefined ? show(value) : !fault && html`<${Waiting} lines=${lines} />`
  }`
}
