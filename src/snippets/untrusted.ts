import { randomBytes } from "node:crypto"

/** One word that whoever wrote what a model is shown can't know. */
export const newBoundary = (): string => randomBytes(12).toString("hex")

/** A part of a prompt that is data: it stands between two lines that begin with the boundary. */
export const part = (boundary: string, name: string, text: string): string =>
  `${boundary} ${name} begins\n${text}\n${boundary} ${name} ends`

/** What a model said, as it can be stored and read: without NUL and halves of characters, up to so many characters. */
export const storable = (text: string, longest: number): string =>
  text.replaceAll("\0", "").slice(0, longest).toWellFormed()
