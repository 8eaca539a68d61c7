/** The text of one snippet cut into terms, by field, with how often each occurs. Made by `tokenize`; plain JSON. */
export interface IndexedText {
  readonly fields: ReadonlyArray<FieldTerms>
}

/** The terms of one field; `terms[i]` occurs `counts[i]` times. `length` is the number of all tokens. */
export interface FieldTerms {
  readonly terms: ReadonlyArray<string>
  readonly counts: ReadonlyArray<number>
  readonly length: number
}
