import { piecesOf } from "#src/console/visible.ts"

/** Markup of ours: what `markup` made, and nothing else. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = Markup | string | number | false | undefined | ReadonlyArray<Markup>

const signs: { readonly [sign: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** A text between tags or in quotes, of HTML or XML, which takes no controls and no halves of characters. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"']/g, (sign) => signs[sign]!)

const written = (value: Value): string => {
  if (value === undefined || value === false) return ""
  if (value instanceof Markup) return value.text
  return typeof value === "object" ? value.map(({ text }) => text).join("") : escaped(String(value))
}

/** Markup around texts of anybody: what is put into it is text, or what this made. */
export const markup = (strings: TemplateStringsArray, ...values: ReadonlyArray<Value>): Markup =>
  new Markup(strings.map((part, index) => part + (index < values.length ? written(values[index]) : "")).join(""))

/** A text with what nobody would see shown by its number or its sign, as in the console. */
export const visible = (text: string): ReadonlyArray<Markup> =>
  piecesOf(text).map((piece) =>
    typeof piece === "string"
      ? markup`${piece}`
      : markup`<span class="unseen" title="${piece.name}" role="img" aria-label="${piece.name}">${piece.shown}</span>`
  )

/** A text of somebody's, kept apart from what stands around it, whichever way it is written. */
export const told = (text: string): Markup => markup`<bdi class="text">${visible(text)}</bdi>`
