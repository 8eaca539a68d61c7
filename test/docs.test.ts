import { existsSync, readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { eventSchemas } from "#domain/events.ts"
import { render } from "../docs/events.ts"

it("docs/events.md says what the code does: else run docs/events.ts", () => {
  assert.strictEqual(readFileSync(new URL("../docs/events.md", import.meta.url), "utf8"), render())
})

it("docs/events.md names files that are there, and says of each event where it comes from", () => {
  const page = render()
  const files = [...new Set([...page.matchAll(/`(domain\/[^`]*)`/g)].map(([, file]) => file!))]
  assert.includeMembers(files, ["domain/Snippet/decider.ts", "domain/Execution.ts", "domain/Chat.ts"])
  for (const file of files) assert.isTrue(existsSync(new URL(`../${file}`, import.meta.url)), file)
  const told = page.slice(page.indexOf("## Event → read models"))
  for (const type of Object.keys(eventSchemas)) assert.include(told, `| \`${type}\` `)
})
