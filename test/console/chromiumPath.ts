import { existsSync } from "node:fs"

/**
 * The browser of the tests: the one that `CAIRN_TEST_CHROMIUM` names, else Debian's. Its shell is the same browser
 * without a window, and takes half of the processor for a page.
 */
export const chromiumPath = [
  process.env["CAIRN_TEST_CHROMIUM"],
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium"
].find((path) => path !== undefined && existsSync(path))

export const whyNoChromium = "there is no Chromium here (Debian: apt-get install chromium-headless-shell, or chromium)"
