import { randomBytes } from "node:crypto"
import { keyFrom, keyHash, keyPrefix, type NewKey } from "#domain/Key.ts"

/** A fresh key: its full text, to be shown once, and what is stored of it. */
export interface IssuedKey {
  readonly full: string
  readonly key: NewKey
}

/** What is stored of a key with this text. */
export const storedKey = (full: string, id: string, name: string): NewKey => ({
  key: id,
  name,
  hash: keyHash(full),
  prefix: keyPrefix(full)
})

/** Makes a key: `full` is shown once and kept nowhere, `key` is what the log has of it. */
export const issueKey = (id: string, name: string): IssuedKey => {
  let full: string | undefined
  while (full === undefined) full = keyFrom(randomBytes(64))
  return { full, key: storedKey(full, id, name) }
}
