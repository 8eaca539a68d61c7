import { signal } from "@preact/signals"
import { session } from "../session.ts"

/** The code of the link that was followed, until it is tried. */
export const linkCode = signal<string | undefined>(undefined)

const mark = "#sign-in="

/** Takes the code out of the address and out of the tab's history, before anything else is done. */
const takeCode = (): void => {
  const { hash, pathname, search } = window.location
  if (!hash.startsWith(mark)) return
  window.history.replaceState(window.history.state, "", pathname + search)
  // a reader who is signed in needs no code
  if (!session.value) linkCode.value = hash.slice(mark.length)
}

/** From now on, a link that signs in works: at the start, and if it is pasted over this page's address. */
export const heedLink = (): void => {
  takeCode()
  window.addEventListener("hashchange", takeCode)
  session.subscribe((open) => {
    if (open) linkCode.value = undefined
  })
}
