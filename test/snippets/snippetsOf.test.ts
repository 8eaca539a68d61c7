import { assert, it } from "@effect/vitest"
import { noProfile, profileToText } from "#domain/search/embeddings/Profile.ts"
import { vectorToText } from "#domain/search/embeddings/vector.ts"
import { indexText } from "#domain/search/IndexedText.ts"
import { atOnce } from "#engine/steps.ts"
import { snippetsOf } from "#src/snippets/indexing/snippetsOf.ts"

const vector = Float32Array.from({ length: 128 }, (_, at) => (at % 3) - 1)
const row = (at: number) => ({
  id: `${at}`,
  changed: at,
  home: "home",
  agent: null,
  published: at % 2 === 0,
  completeness: 1,
  kind: "file" as const,
  language: "python",
  text: indexText({ name: "median" }),
  vector: at % 5 === 0 ? "" : vectorToText(vector),
  task_vector: "",
  profile: profileToText({ ...noProfile, characters: at + 1 }),
  left_out: null,
  up: at,
  down: 0,
  human_up: at
})
const rows = Array.from({ length: 4_000 }, (_, at) => row(at))

it("gives what each row says, in their order", () => {
  const snippets = atOnce(snippetsOf(rows))
  assert.lengthOf(snippets, rows.length)
  for (const [at, { id, isPublic, humanUp, vector, profile }] of snippets.entries()) {
    assert.deepStrictEqual([id, isPublic, humanUp], [`${at}`, at % 2 === 0, at])
    assert.deepStrictEqual([vector === null, profile.characters], [at % 5 === 0, at + 1])
  }
  assert.deepStrictEqual(atOnce(snippetsOf([])), [])
})

it("a page of rows is many steps, between which others have their turn", () => {
  let steps = 0
  const reading = snippetsOf(rows)
  while (!reading.next().done) steps++
  // a row costs some twenty microseconds
  assert.isAtLeast(steps, rows.length / 100)
})
