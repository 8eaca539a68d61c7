import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary: string }>
}

/** What axe finds serious on a page as it is, one line each. */
export const seriousOn = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(`${source}; 0`)
  const findings = (await page.evaluate("axe.run().then(({ violations }) => violations)")) as ReadonlyArray<Finding>
  return findings
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`)
    )
}
