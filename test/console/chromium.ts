import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { chromiumPath, whyNoChromium } from "./chromiumPath.ts"

/** Why there can be no browser here; `undefined`: there can. */
export const whyNot = (): string | undefined => (chromiumPath === undefined ? whyNoChromium : undefined)

const flags = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--no-zygote"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
  // Few processes, and none in reserve: each takes a third of a second of the processor, and a test opens several pages
  ...["--in-process-gpu", "--renderer-process-limit=1", "--disable-site-isolation-trials"],
  "--enable-features=NetworkServiceInProcess2",
  // the shell has no window, whose box for addresses loads four hundred files of its own for each reader
  "--disable-features=SpareRendererForSitePerProcess,WebUIOmniboxPopup,WebUIOmniboxAimPopup"
]

export interface Browser {
  /** Another reader, whose tab knows nothing of others'. */
  readonly open: (options?: BrowserContextOptions) => Promise<Reader>
  readonly close: () => Promise<void>
}

export interface Reader {
  readonly page: Page
  readonly context: BrowserContext
  /** What the browser refused to do, or complained of. */
  readonly complaints: ReadonlyArray<string>
  /** Also while a page that asks by itself is being answered: a test's own answer that comes too late is no fault. */
  readonly close: () => Promise<void>
}

/** Starts a browser of its own, in a folder of its own that goes with it. */
export const startBrowser = async (): Promise<Browser> => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-chromium-"))
  const browser = await chromium.launch({
    executablePath: chromiumPath!,
    args: [...flags, `--crash-dumps-dir=${folder}`]
  })
  return {
    open: async (options = {}) => {
      const context = await browser.newContext({ locale: "en-GB", timezoneId: "Europe/Berlin", ...options })
      const complaints: Array<string> = []
      await context.addInitScript(() => {
        document.addEventListener("securitypolicyviolation", (event) =>
          console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`)
        )
      })
      const page = await context.newPage()
      page.setDefaultTimeout(60_000)
      page.on("console", (message) => {
        // an answer that is no success is told by the browser, too
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
          complaints.push(message.text())
      })
      page.on("pageerror", (error) => complaints.push(String(error)))
      page.on("dialog", (dialog) => {
        complaints.push(`dialog: ${dialog.message()}`)
        void dialog.dismiss()
      })
      const close = async () => {
        await page.unrouteAll({ behavior: "ignoreErrors" })
        await context.close()
      }
      return { page, context, complaints, close }
    },
    close: async () => {
      await browser.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
