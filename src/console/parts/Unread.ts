import { html, type Node } from "../html.ts"

/**
 * The names of a form's fields with a text that is no number or no date. As a value they have "", as if they were
 * empty, so a form with such fields must not be sent.
 */
export const unreadIn = (form: HTMLFormElement): ReadonlyArray<string> =>
  [...form.elements].flatMap((field) =>
    field instanceof HTMLInputElement && field.validity.badInput ? [field.name] : []
  )

/** Leads the reader to a field of a form. */
export const leadTo = (form: HTMLFormElement, name: string): void =>
  (form.elements.namedItem(name) as HTMLInputElement | null)?.focus()

const idOf = (name: string): string => `${name}-unread`

/** The attributes of a field whose text could not be read. */
export const unreadAs = (name: string, is: boolean) => ({
  name,
  "aria-invalid": is ? "true" : undefined,
  "aria-describedby": is ? idOf(name) : undefined
})

/** Stands behind a field whose text could not be read: what is wanted. */
export const Unread = ({
  name,
  is,
  wanted
}: {
  readonly name: string
  readonly is: boolean
  readonly wanted: string
}): Node => (is ? html`<p class="problem" id=${idOf(name)}>${wanted}</p>` : null)
