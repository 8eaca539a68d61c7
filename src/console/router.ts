import { computed, signal } from "@preact/signals"
import { type Parameters, pageAt, pages } from "./paths.ts"

const here = signal(new URL(window.location.href))

/** The page that the reader is on. */
export const route = computed(() => {
  const { pathname, searchParams } = here.value
  const found = pageAt(pathname)
  return { page: found?.page, parameters: found?.parameters ?? ({} as Parameters), path: pathname, query: searchParams }
})

/** How far the reader had scrolled each page to which they can go back. */
const places = new Map<string, number>()
let visit = String(window.history.state?.visit ?? "0")

export type Query = { readonly [name: string]: string | number | boolean | undefined | null }

/** An address of the console. Empty and false values are left out of its query. */
export const href = (page: keyof typeof pages, parameters: Parameters = {}, query: Query = {}): string => {
  const path = pages[page].replace(/:([a-z]+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ""))
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== "" && value !== false) given.set(name, String(value))
  const text = given.toString()
  return text === "" ? path : `${path}?${text}`
}

/** Goes to an address; `replace`: it is a variant of the same page, and no step in the tab's history. */
export const go = (to: string, replace = false): void => {
  const url = new URL(to, window.location.href)
  // only the part behind # was taken out of the address
  if (url.pathname + url.search === here.value.pathname + here.value.search) return
  if (replace) {
    window.history.replaceState(window.history.state, "", url)
  } else {
    places.set(visit, window.scrollY)
    visit = String(Date.now())
    window.history.pushState({ visit }, "", url)
    window.scrollTo(0, 0)
  }
  here.value = url
}

/** Whether a click on a link is a plain one, which opens the page in this tab. */
const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) && !event.defaultPrevented

/** Milliseconds for which a page that somebody comes back to may take until it is as high as it was. */
const longest = 3_000

/** Scrolls to where a page was left, once it is high enough, unless its reader scrolls or leaves before. */
const scrollBack = (shown: string, place: number): void => {
  const until = performance.now() + longest
  const left = new AbortController()
  for (const own of ["wheel", "touchstart", "keydown", "pointerdown"])
    window.addEventListener(own, () => left.abort(), { signal: left.signal, passive: true, capture: true })
  let set: number | undefined
  const look = () => {
    if (left.signal.aborted) return
    const lowest = document.documentElement.scrollHeight - window.innerHeight
    const isHighEnough = lowest >= place
    const isMoved = set !== undefined && window.scrollY !== set && isHighEnough
    if (visit !== shown || isMoved) return left.abort()
    const isOver = performance.now() > until
    if (isHighEnough || isOver) {
      window.scrollTo(0, place)
      set = window.scrollY
    }
    // what came first may make way for what is higher or lower
    if (isOver || (isHighEnough && document.querySelector("main .waiting") === null)) return left.abort()
    requestAnimationFrame(look)
  }
  // the page that was left is still there until the next frame
  requestAnimationFrame(() => setTimeout(look, 60))
}

/** From now on, links and steps back show the console's pages without loading them from the service. */
export const listen = (): void => {
  window.history.scrollRestoration = "manual"
  window.addEventListener("popstate", () => {
    const to = new URL(window.location.href)
    // only another place of the same page, to which the browser goes by itself
    if (to.pathname + to.search === here.value.pathname + here.value.search && to.hash !== here.value.hash) {
      // which is the same visit, also when it is come back to
      window.history.replaceState({ visit }, "", to)
      here.value = to
      return
    }
    places.set(visit, window.scrollY)
    visit = String(window.history.state?.visit ?? "0")
    here.value = to
    scrollBack(visit, places.get(visit) ?? 0)
  })
  document.addEventListener("click", (event) => {
    const link = (event.target as Element | null)?.closest?.("a")
    if (!link || !isPlain(event) || link.target !== "" || link.hasAttribute("download")) return
    const url = new URL(link.href)
    if (url.origin !== window.location.origin || pageAt(url.pathname) === undefined) return
    if (url.hash !== "" && url.pathname === window.location.pathname) return
    event.preventDefault()
    go(url.href)
  })
}
