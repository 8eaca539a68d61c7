const own = "a[href], button, input, select, textarea, summary, [tabindex]"

const isEmpty = (element: Element): boolean => element.textContent.trim() === "" && !element.matches(own)

/** The first element, from a node on, that has text. */
const sayingFrom = (node: Node | null): Element | undefined => {
  for (let at = node; at !== null; at = at.nextSibling) if (at instanceof Element && !isEmpty(at)) return at
  return undefined
}

/** The element that is now where another was removed; `undefined`: its place is gone, too. */
const inPlaceOf = ({ target, previousSibling: before, nextSibling: behind }: MutationRecord): Element | undefined => {
  if (!target.isConnected || !(target instanceof Element)) return undefined
  const isThere = (node: Node | null) => node?.parentNode === target
  const now = isThere(before) ? before!.nextSibling : isThere(behind) ? behind : target.firstChild
  const found = sayingFrom(now)
  if (found !== undefined) return found
  const last = target.lastElementChild
  // a removed row leaves the focus to the row before, a button to the one beside it
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
    // which may itself be removed later
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
 * From now on, an element that has the focus and is removed (a button that has done its work, a row that is erased)
 * leaves it to the element in its place. Otherwise nothing would have the focus: keyboard users would start again at
 * the top of the page, and screen readers would not say where they are.
 */
export const keepFocus = (): void => {
  let holder: Element | undefined
  document.addEventListener("focusin", ({ target }) => {
    holder = target as Element
  })
  document.addEventListener("focusout", ({ target }) =>
    // some browsers send this also for what is about to be removed
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
