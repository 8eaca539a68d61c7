import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary: string }>
}

/** Of axe's own rules, those of colours. */
const ofColours = { type: "rule", values: ["color-contrast", "link-in-text-block"] }

/** What axe finds serious on a page as it is, one line each; by all of its rules, or by those of colours alone. */
export const seriousOn = async (page: Page, rules: "all" | "colours" = "all"): Promise<ReadonlyArray<string>> => {
  // half a megabyte, which is sent and read once for each page
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(`${source}; 0`)
  // of what is as it should be nobody asks where
  const options = { resultTypes: ["violations"], ...(rules === "all" ? {} : { runOnly: ofColours }) }
  const findings = (await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`
  )) as ReadonlyArray<Finding>
  return findings
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`)
    )
}

/** The same in both themes, which differ by their colours and nothing else. The page has the light one then. */
export const seriousInBothThemes = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.emulateMedia({ colorScheme: "dark" })
  const dark = await seriousOn(page, "colours")
  await page.emulateMedia({ colorScheme: "light" })
  return [...dark.map((line) => `in the dark theme: ${line}`), ...(await seriousOn(page))]
}
