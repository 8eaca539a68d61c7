import type { Page } from "playwright-core"
import { startBrowser } from "#test/console/chromium.ts"

/** What the page keeps of itself. */
interface Seen {
  shown: number
  largest: number
  longest: number
  began: number
}

/** How a page opened: milliseconds since it was asked for, by the browser's own clock. */
export interface Opened {
  /** When the frame was done that has what the page is for. */
  readonly shown: number
  /** The browser's first paint of any content, and the last of its largest ones. */
  readonly first: number
  readonly largest: number
  /** The longest task; 0: none took 50 ms. */
  readonly longest: number
  /** Bytes of each script and style, as they were sent. */
  readonly bytes: ReadonlyMap<string, number>
}

/** What is waited for: that there are so many elements, and an answer of the service whose address has this in it. */
export interface Expected {
  readonly selector: string
  readonly count?: number
  readonly answer?: string
}

/** What came of an act, in milliseconds: to the frame that shows it, from the act and from the end of the answer. */
export interface Done {
  readonly shown: number
  readonly sinceAnswer: number
  readonly longest: number
}

/** Runs in each page, before all of it. */
const watch = ({ key, selector }: { readonly key: string; readonly selector: string }) => {
  sessionStorage.setItem("cairn.key", key)
  const seen: Seen = { shown: 0, largest: 0, longest: 0, began: 0 }
  Object.assign(window, { seen })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration)
  }).observe({ type: "longtask", buffered: true })
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) seen.largest = Math.max(seen.largest, startTime)
  }).observe({ type: "largest-contentful-paint", buffered: true })
  for (const type of ["pointerdown", "keydown", "input", "change"])
    addEventListener(type, () => (seen.began ||= performance.now()), { capture: true })
  const look = () => {
    if (document.querySelector(selector) === null) requestAnimationFrame(look)
    // the first task behind the frame that has it
    else setTimeout(() => (seen.shown = performance.now()))
  }
  requestAnimationFrame(look)
}

const begin = ({ selector, count = 1, answer }: Expected) => {
  const { seen } = window as unknown as { readonly seen: Seen }
  Object.assign(seen, { shown: 0, longest: 0, began: 0 })
  performance.clearResourceTimings()
  const isAnswered = () =>
    answer === undefined || performance.getEntriesByType("resource").some(({ name }) => name.includes(answer))
  const look = () => {
    if (seen.began === 0 || !isAnswered() || document.querySelectorAll(selector).length < count)
      requestAnimationFrame(look)
    else setTimeout(() => (seen.shown = performance.now()))
  }
  requestAnimationFrame(look)
}

const untilShown = () =>
  new Promise<void>((resolve) => {
    const { seen } = window as unknown as { readonly seen: Seen }
    const look = () => {
      if (seen.shown === 0) requestAnimationFrame(look)
      // long tasks are told a little later
      else requestIdleCallback(() => setTimeout(resolve, 50), { timeout: 2_000 })
    }
    look()
  })

/** Does something in a page, by its keyboard or pointer, and measures until what is waited for is shown. */
export const act = async (page: Page, does: () => Promise<unknown>, expected: Expected): Promise<Done> => {
  await page.evaluate(begin, expected)
  await does()
  await page.evaluate(untilShown)
  return await page.evaluate((answer) => {
    const { seen } = window as unknown as { readonly seen: Seen }
    const answers = performance.getEntriesByType("resource") as Array<
      PerformanceEntry & { readonly responseEnd: number; readonly encodedBodySize: number }
    >
    const ends = answers
      .filter(({ name, responseEnd }) => answer !== undefined && name.includes(answer) && responseEnd <= seen.shown)
      .map(({ responseEnd }) => responseEnd)
    const last = ends.length === 0 ? seen.began : Math.max(...ends)
    return { shown: seen.shown - seen.began, sinceAnswer: seen.shown - last, longest: seen.longest }
  }, expected.answer)
}

/** MiB of a page's objects, once what nobody needs is collected. */
export const heapOf = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page)
  await session.send("HeapProfiler.collectGarbage")
  const { usedSize } = await session.send("Runtime.getHeapUsage")
  await session.detach()
  return usedSize / 2 ** 20
}

/** One more page of a list: milliseconds from the button's press, and from the answer, to the frame that has it. */
export interface Turned {
  readonly shown: number
  readonly sinceAnswer: number
}

const press = async ({
  list,
  label,
  times
}: {
  readonly list: string
  readonly label: string
  readonly times: number
}) => {
  const { seen } = window as unknown as { readonly seen: Seen }
  seen.longest = 0
  // a busy one is pressed in vain: the next page is asked for behind it
  const button = () =>
    [...document.querySelectorAll<HTMLElement>("main button:not([aria-disabled])")].find(
      (one) => one.textContent === label && one.closest("section, .page")?.querySelector(list) != null
    )
  const frame = () => new Promise(requestAnimationFrame)
  const turned: Array<Turned> = []
  while (turned.length < times) {
    const next = button()
    if (next === undefined) break
    const before = document.querySelectorAll(list).length
    next.scrollIntoView({ block: "center" })
    await frame()
    performance.clearResourceTimings()
    const began = performance.now()
    next.click()
    const isThere = () =>
      !next.isConnected || (next.ariaDisabled !== "true" && document.querySelectorAll(list).length > before)
    do {
      await frame()
      const problem = document.querySelector("main .problem")?.textContent ?? ""
      if (problem !== "") throw new Error(problem)
    } while (!isThere())
    await new Promise((resolve) => setTimeout(resolve))
    const now = performance.now()
    const ends = (
      performance.getEntriesByType("resource") as Array<PerformanceEntry & { readonly responseEnd: number }>
    )
      .filter(({ name }) => name.includes("/api/"))
      .map(({ responseEnd }) => responseEnd)
    turned.push({ shown: now - began, sinceAnswer: now - Math.max(began, ...ends) })
  }
  // long tasks are told a little later
  await new Promise((resolve) => requestIdleCallback(() => setTimeout(resolve, 50), { timeout: 2_000 }))
  return { turned, longest: seen.longest, isOver: button() === undefined }
}

/**
 * Turns so many pages of a list, whose groups `list` names, by the button with this label, as a reader does who goes to
 * its end; less where it ends before.
 */
export const turn = (page: Page, list: string, label: string, times: number) =>
  page.evaluate(press, { list, label, times })

/** What a page has: rows, elements, and MiB of objects. */
export const sizeOf = async (page: Page) => {
  const [rows, elements] = await page.evaluate(() => [
    document.querySelectorAll("main .rows > li").length,
    document.querySelectorAll("*").length
  ])
  return { rows: rows!, elements: elements!, heap: await heapOf(page) }
}

/** Jumps to a part of a page's height, and gives the milliseconds until a row is seen in the middle of the screen. */
export const jump = (page: Page, part: number): Promise<number> =>
  page.evaluate(async (part) => {
    const began = performance.now()
    scrollTo(0, document.documentElement.scrollHeight * part)
    const isThere = () => document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest("main .rows > li") != null
    do await new Promise(requestAnimationFrame)
    while (!isThere())
    return performance.now() - began
  }, part)

/** A browser that looks at a service with a key: each page as somebody who has never been there. */
export const startLooker = async (url: string, key: string) => {
  const browser = await startBrowser()
  const open = async (path: string, selector: string) => {
    const { page, context, close } = await browser.open({ viewport: { width: 1120, height: 800 } })
    await context.addInitScript(watch, { key, selector })
    await page.goto(url + path)
    await page.evaluate(untilShown)
    const opened = await page.evaluate(() => {
      const { seen } = window as unknown as { readonly seen: Seen }
      const all = performance.getEntriesByType("resource") as Array<
        PerformanceEntry & { readonly responseEnd: number; readonly encodedBodySize: number }
      >
      const [painted] = performance.getEntriesByName("first-contentful-paint")
      const bytes = all
        .filter(({ name }) => name.includes("/assets/"))
        .map(({ name, encodedBodySize }) => [name, encodedBodySize] as const)
      return { ...seen, first: painted?.startTime ?? Number.NaN, bytes }
    })
    return { page, close, ...opened, bytes: new Map(opened.bytes) }
  }
  return { open, close: browser.close }
}

export type Looker = Awaited<ReturnType<typeof startLooker>>
