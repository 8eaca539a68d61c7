import { createHash } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Index } from "#infra/search/memory/Index.ts"
import { comparing } from "#infra/search/memory/Nearness.ts"
import { FrameWriter } from "#infra/search/memory/snapshot/frames.ts"
import { format, framesOf } from "#infra/search/memory/snapshot/image.ts"
import type { IndexedSnippet } from "#ports/SnippetIndex.ts"

const snippet = (at: number): IndexedSnippet => ({
  id: `s${at}`,
  home: at % 2 === 0 ? "even" : "odd",
  isPublic: at % 3 === 0,
  agent: at % 4 === 0 ? "agent" : null,
  text: { name: `t${at} t`, description: `d=${at + 1}`, exampleQueries: "", source: `t=3 s${at % 7}` },
  vector: at % 5 === 0 ? null : Float32Array.from({ length: 8 }, (_, place) => ((at + place) % 4) - 1.5),
  profile: { pieces: Uint16Array.of(at, at + 1, 9), named: 1, told: 2, own: 3, hub: at / 64, characters: at },
  completeness: at / 32,
  kind: at === 3 ? "script" : "file",
  language: "python",
  up: at % 3,
  down: 0,
  humanUp: at % 2
})

it("lies as its number says: who changes how, or what it means, raises `format`, and puts the new digest here", () => {
  const index = new Index(8, comparing)
  for (let at = 0; at < 30; at++) index.put(snippet(at))
  for (const at of [3, 8, 9]) index.remove(`s${at}`)
  index.put(snippet(8))
  const head = { of: "", dimensions: 8, build: 1, position: 2, event: "", refused: [], documents: index.size }
  const writer = new FrameWriter()
  const digest = createHash("sha256")
  for (const frame of framesOf(head, index)) digest.update(writer.bytesOf(frame))
  const found = `${format} ${digest.digest("hex")}`
  assert.strictEqual(found, "3 0d22ef43d3cec1a54d5d7b79496dddda6a356369ec57c3bb890ee633556ef11b")
})
