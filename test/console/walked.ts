import type { Page } from "playwright-core"

/** Roles of what somebody acts on, or is led to by its name. */
const named = new Set([
  ...["button", "link", "textbox", "searchbox", "combobox", "checkbox", "Date", "meter", "progressbar"],
  ...["region", "navigation", "img", "image", "article", "complementary", "dialog", "DisclosureTriangle"]
])

/** A date's own button, which the browser makes. */
const browsers = "Show date picker"

/** What a screen reader would not know of a page, a line each: names, headings, heads of tables. */
export const unheardOn = async (page: Page): Promise<ReadonlyArray<string>> => {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send("Accessibility.getFullAXTree")
  await session.detach()
  const told = nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name }) => [String(role?.value), String(name?.value ?? "").trim()] as const)
  const buttons = told.filter(([role, name]) => role === "button" && !name.startsWith(browsers)).map(([, name]) => name)
  const [levels, tables] = await page.evaluate(() => [
    [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map(({ tagName }) => Number(tagName[1])),
    [...document.querySelectorAll("table")]
      .filter(({ rows }) => [...(rows[0]?.cells ?? [])].some(({ tagName }) => tagName !== "TH"))
      .map(({ textContent }) => textContent.slice(0, 60))
  ])
  return [
    ...told.filter(([role, name]) => named.has(role) && name === "").map(([role]) => `a ${role} has no name`),
    ...new Set(buttons.filter((name, at) => buttons.indexOf(name) !== at).map((name) => `several are called ${name}`)),
    ...(levels.filter((level) => level === 1).length === 1 ? [] : [`headings: ${levels.join(" ")}`]),
    ...levels.flatMap((level, at) => (level - (levels[at - 1] ?? 0) > 1 ? [`headings jump: ${levels.join(" ")}`] : [])),
    ...tables.map((text) => `a table has no heads: ${text}`)
  ]
}

/** Where the focus is: what there is to complain of, and whether it is behind what had it before. */
const stop = () => {
  const window = globalThis as unknown as { last?: Element }
  const at = document.activeElement!
  if (at === document.body) return undefined
  const { left, top, bottom, width, height } = at.getBoundingClientRect()
  const { outlineStyle, boxShadow } = getComputedStyle(at)
  const [x, y] = [left + Math.min(8, width / 2), Math.max(top, 0) + Math.min(8, height / 2)]
  const above = document.elementFromPoint(Math.min(x, innerWidth - 1), Math.min(y, innerHeight - 1))
  const isBehind =
    window.last === undefined || (window.last.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
  const isDate = at === window.last && at.matches("input[type=date]")
  window.last = at
  const complaints = [
    ...(bottom > 0 && top < innerHeight && width > 0 && height > 0 ? [] : ["is out of sight"]),
    ...(above === null || at.contains(above) || above.contains(at) ? [] : ["is covered"]),
    ...(outlineStyle !== "none" || boxShadow !== "none" || isDate ? [] : ["does not show that it has the focus"]),
    ...(isBehind || isDate ? [] : ["comes before what had the focus"])
  ]
  const name = (at.getAttribute("aria-label") ?? at.textContent ?? "").trim().slice(0, 40)
  return complaints.map((complaint) => `${at.tagName.toLowerCase()} ${name} ${complaint}`)
}

/** Where the focus comes to by the keyboard from where it is: what is wrong there, for so many steps at most. */
export const lostOn = async (page: Page, most: number): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  await page.evaluate("delete globalThis.last")
  for (let steps = 0; steps < most; steps++) {
    await page.keyboard.press("Tab")
    const complaints = await page.evaluate(stop)
    if (complaints === undefined) break
    found.push(...complaints)
  }
  return found
}

/** The first question of a page, if it has one: opened, left and closed by keys. Gives what is wrong with that. */
export const questionOn = async (page: Page): Promise<ReadonlyArray<string>> => {
  const asks = page.locator("main button:has(+ dialog)").first()
  if ((await asks.count()) === 0) return []
  const isInside = () => page.evaluate("document.activeElement.closest('dialog[open]') !== null")
  const found: Array<string> = []
  await asks.focus()
  await page.keyboard.press("Enter")
  await page.locator("dialog[open]").waitFor()
  if (!(await isInside())) found.push("the focus is not in what was opened")
  for (let steps = 0; steps < 3; steps++) await page.keyboard.press("Shift+Tab")
  if (
    (await page.evaluate("document.activeElement.closest('main') && !document.activeElement.closest('dialog')")) ===
    true
  )
    found.push("the focus left it")
  await asks.evaluate((button) => (button.nextElementSibling as HTMLElement).querySelector("button")?.focus())
  await page.keyboard.press("Escape")
  await page.locator("dialog[open]").waitFor({ state: "hidden" })
  if (!(await asks.evaluate((button) => button === document.activeElement))) found.push("the focus did not come back")
  return found
}
