import { signal } from "@preact/signals"
import { session } from "../session.ts"

/** The code of the link that was followed here, until it is tried. */
export const linkCode = signal<string | undefined>(undefined)

const mark = "#sign-in="

/** Takes the code out of the address, also out of the tab's history, before anything else is done. */
const takeCode = (): void => {
  const { hash, pathname, search } = window.location
  if (!hash.startsWith(mark)) return
  window.history.replaceState(window.history.state, "", pathname + search)
  // who is signed in needs none
  if (!session.value) linkCode.value = hash.slice(mark.length)
}

/** From now on, a link that signs in is heeded: here, and where it is pasted over the address of this page. */
export const heedLink = (): void => {
  takeCode()
  window.addEventListener("hashchange", takeCode)
  session.subscribe((open) => {
    if (open) linkCode.value = undefined
  })
}
