import { readdirSync, readFileSync, statSync } from "node:fs"
import { assert, describe, it } from "vitest"
import type { PageName } from "#src/console/paths.ts"

const folder = new URL("../../docs/console/", import.meta.url)

/** What the picture of each page is called: a new page without one is none that the types take. */
const called: { readonly [page in PageName]: string } = {
  overview: "overview",
  search: "search",
  snippet: "snippet",
  workspaces: "workspaces",
  workspace: "history",
  files: "files",
  commit: "commit",
  compare: "compare",
  chat: "chat",
  run: "run",
  events: "events",
  event: "event",
  people: "people",
  usage: "usage",
  readModels: "read-models",
  asOf: "as-of",
  backups: "backups"
}
/** What is no page of the console's own, or another look of one. */
const others = ["sign-in", "start", "run-step", "public", "public-snippet"]

describe("docs/console", () => {
  const pictures = readdirSync(folder)

  it("has a picture of every page at two widths, and no other", () => {
    const wanted = [...Object.values(called), ...others].flatMap((name) => [`${name}-narrow.png`, `${name}-wide.png`])
    assert.sameMembers(pictures, wanted)
    for (const picture of pictures) {
      const bytes = readFileSync(new URL(picture, folder))
      assert.strictEqual(bytes.toString("latin1", 1, 4), "PNG", picture)
      assert.strictEqual(bytes.readUInt32BE(16), picture.endsWith("-wide.png") ? 1120 : 380, picture)
    }
  })

  it("is at most 2 MB, and the README shows two of them", () => {
    const bytes = pictures.reduce((sum, picture) => sum + statSync(new URL(picture, folder)).size, 0)
    assert.isBelow(bytes, 2_000_000)
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
    const shown = [...readme.matchAll(/src="docs\/console\/([^"]+)"/g)].map(([, name]) => name!)
    assert.lengthOf(shown, 2)
    assert.includeMembers(pictures, shown)
  })
})
