const own = "a[href], button, input, select, textarea, summary, [tabindex]"

const isEmpty = (element: Element): boolean => element.textContent.trim() === "" && !element.matches(own)

/** The first element from a node on that says something. */
const sayingFrom = (node: Node | null): Element | undefined => {
  for (let at = node; at !== null; at = at.nextSibling) if (at instanceof Element && !isEmpty(at)) return at
  return undefined
}

/** What stands now where something was taken away; `undefined`: where it was is gone itself. */
const inPlaceOf = ({ target, previousSibling: before, nextSibling: behind }: MutationRecord): Element | undefined => {
  if (!target.isConnected || !(target instanceof Element)) return undefined
  const isThere = (node: Node | null) => node?.parentNode === target
  const now = isThere(before) ? before!.nextSibling : isThere(behind) ? behind : target.firstChild
  const found = sayingFrom(now)
  if (found !== undefined) return found
  const last = target.lastElementChild
  // a row leaves it to the one before, a button to the one beside it
  if (last !== null && !isEmpty(last) && (target.matches("ul, ol, tbody") || last.matches(own))) return last
  for (let at: Element = target; at !== document.body; at = at.parentElement!) {
    if (!isEmpty(at)) return at
    const next = sayingFrom(at.nextElementSibling)
    if (next !== undefined) return next
  }
  return undefined
}

const spotOf = (gone: Node, changes: ReadonlyArray<MutationRecord>): Element | undefined => {
  let lost = gone
  let spot: Element | undefined
  for (const change of changes) {
    if (![...change.removedNodes].some((node) => node.contains(lost))) continue
    // which may be taken away itself
    lost = change.target
    spot = inPlaceOf(change)
  }
  const main = document.querySelector("main")
  return spot?.isConnected && main?.contains(spot) ? spot : (main ?? undefined)
}

const focusOn = (spot: Element): void => {
  const field = spot instanceof HTMLLabelElement ? spot.control : spot.querySelector("[autofocus]")
  const to = (field ?? spot) as HTMLElement
  if (!to.matches(own)) to.tabIndex = -1
  to.focus({ preventScroll: true })
}

/**
 * From now on, what has the focus and is taken away (a button that has done what it does, a row that is erased) leaves
 * it to what stands in its place then. Otherwise nothing had it: who goes by keys began anew at the top of the page,
 * and who listens was not told where they are.
 */
export const keepFocus = (): void => {
  let holder: Element | undefined
  document.addEventListener("focusin", ({ target }) => {
    holder = target as Element
  })
  document.addEventListener("focusout", ({ target }) =>
    // some browsers say so also of what is about to be taken away
    queueMicrotask(() => {
      if (holder === target && holder?.isConnected && document.activeElement !== holder) holder = undefined
    })
  )
  new MutationObserver((changes) => {
    if (holder === undefined || holder.isConnected || document.activeElement !== document.body) return
    const spot = spotOf(holder, changes)
    holder = undefined
    if (spot !== undefined) focusOn(spot)
  }).observe(document.body, { childList: true, subtree: true })
}
