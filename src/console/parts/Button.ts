import { type Children, html, type Node } from "../html.ts"

/**
 * A button that may be busy or settled. It can't be pressed then, nor by Enter in a field of its form. Unlike a
 * disabled button, it keeps the focus. All other attributes are a button's.
 */
export const Button = ({
  busy = false,
  settled = false,
  onClick,
  children,
  ...rest
}: {
  /** Whether what it does is still going on. */
  readonly busy?: boolean | undefined
  /** Whether it can never be pressed again, because something else was decided. */
  readonly settled?: boolean | undefined
  readonly onClick?: ((event: Event) => void) | undefined
  readonly children?: Children
  readonly [attribute: string]: unknown
}): Node => {
  const isOff = busy || settled
  const press = (event: Event) => (isOff ? event.preventDefault() : onClick?.(event))
  return html`<button ...${rest} aria-disabled=${isOff ? "true" : undefined} onClick=${press}>${children}</button>`
}
