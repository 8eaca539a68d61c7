import { type Children, html, type Node } from "../html.ts"

/**
 * A button that may be busy: it can't be pressed then, nor by Enter in a field of its form, and keeps the focus, which
 * one that is disabled gives up. Anything else is as a button has it.
 */
export const Button = ({
  busy = false,
  onClick,
  children,
  ...rest
}: {
  readonly busy?: boolean | undefined
  readonly onClick?: ((event: Event) => void) | undefined
  readonly children?: Children
  readonly [attribute: string]: unknown
}): Node => {
  const press = (event: Event) => (busy ? event.preventDefault() : onClick?.(event))
  return html`<button ...${rest} aria-disabled=${busy ? "true" : undefined} onClick=${press}>${children}</button>`
}
