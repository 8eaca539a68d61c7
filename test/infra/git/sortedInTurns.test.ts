import { assert, it } from "vitest"
import { sortedByBytes } from "#domain/workspacePath.ts"
import { Breath } from "#infra/git/Breath.ts"
import { sortedInTurns } from "#infra/git/sortedInTurns.ts"
import { roundsDuring } from "./rounds.ts"

const same = (text: string): string => text

it("many texts come in the order of their bytes, whatever order they had", async () => {
  const ends = ["", "\uff00", "🪨", "é", "/"]
  for (const count of [0, 1, 4_095, 4_096, 4_097, 20_000]) {
    for (const step of [1, -1, 7_919]) {
      const texts = Array.from({ length: count }, (_, n) => `${Math.abs((n * step) % 20_011)}${ends[n % 5]}`)
      const sorted = await sortedInTurns(texts, same, new Breath())
      assert.isTrue(sortedByBytes(texts, same).join("\n") === sorted.join("\n"), `${count} by ${step}`)
    }
  }
})

it("others have their turn while very many are sorted", async () => {
  const texts = Array.from({ length: 200_000 }, (_, n) => `file ${(n * 7_919) % 200_003}.txt`)
  const rounds = await roundsDuring(async () => {
    assert.strictEqual((await sortedInTurns(texts, same, new Breath())).length, texts.length)
  })
  assert.isAtLeast(rounds, 3)
})
