import { randomBytes } from "node:crypto"

/** A word that the authors of what a model is shown can't know. */
export const newBoundary = (): string => randomBytes(12).toString("hex")

/** A part of a prompt that is data: it stands between two lines that begin with the boundary. */
export const part = (boundary: string, name: string, text: string): string =>
  `${boundary} ${name} begins\n${text}\n${boundary} ${name} ends`

/** A model's words as they can be stored: without NUL and halves of characters, at most `longest` UTF-16 units. */
export const storable = (text: string, longest: number): string =>
  text.replaceAll("\0", "").slice(0, longest).toWellFormed()
