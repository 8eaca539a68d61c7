import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { render } from "../docs/events.ts"

it("docs/events.md says what the code does: else run docs/events.ts", () => {
  assert.strictEqual(readFileSync(new URL("../docs/events.md", import.meta.url), "utf8"), render())
})
