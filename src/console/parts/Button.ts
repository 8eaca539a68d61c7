import { type Children, html, type Node } from "../html.ts"

/**
 * A button that may be busy, or settled: it can't be pressed then, nor by Enter in a field of its form, and keeps the
 * focus, which one that is disabled gives up. Anything else is as a button has it.
 */
export const Button = ({
  busy = false,
  settled = false,
  onClick,
  children,
  ...rest
}: {
  /** What it does goes on. */
  readonly busy?: boolean | undefined
  /** It was decided otherwise, for good. */
  readonly settled?: boolean | undefined
  readonly onClick?: ((event: Event) => void) | undefined
  readonly children?: Children
  readonly [attribute: string]: unknown
}): Node => {
  const isOff = busy || settled
  const press = (event: Event) => (isOff ? event.preventDefault() : onClick?.(event))
  return html`<button ...${rest} aria-disabled=${isOff ? "true" : undefined} onClick=${press}>${children}</button>`
}
