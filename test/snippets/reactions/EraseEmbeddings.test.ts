import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { schemaOf } from "#engine/Projection.ts"
import { eraseEmbedded, keepEmbedded, vectorsOf } from "#projections/Snippets/embedded.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { findByName, remove, stored } from "#test/http/store.ts"
import { type Service, startService } from "#test/service.ts"

/** What an embedding model made of a snippet's text, by the reaction `erase_embeddings`. */
describe("the vectors of a deleted snippet", () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  /** A snippet of the catalogue, as of its last change. */
  const given = async (name: string) => {
    await stored(service.call, name)
    const { id } = (await findByName(service.call, name))!.code_block
    const [row] = await service.sql<{ changed: bigint }>(
      `SELECT changed FROM ${schemaOf(Snippets)}.terms WHERE id = $1`,
      [id]
    )
    return { id, changed: Number(row!.changed) }
  }
  const keep = (model: string, some: Parameters<typeof keepEmbedded>[1]) =>
    service.run(
      keepEmbedded(
        model,
        some,
        some.map(({ digest }) => ({ digest, vector: `${model} of ${digest}` }))
      )
    )
  const kept = async () => ({
    digests: (await service.sql<{ digest: string }>("SELECT digest FROM embedded ORDER BY digest")).map(
      ({ digest }) => digest
    ),
    vectors: (await service.sql<{ vector: string }>("SELECT vector FROM embeddings ORDER BY vector")).map(
      ({ vector }) => vector
    )
  })
  const becomes = (expected: Awaited<ReturnType<typeof kept>>) =>
    vi.waitFor(async () => assert.deepStrictEqual(await kept(), expected), { timeout: 60_000, interval: 20 })

  it("go with it, those of every model, and stay with another one that says the same", async () => {
    const [one, other, third] = [await given("one_egg"), await given("other_egg"), await given("third_egg")]
    const all = [
      { ...one, digest: "eggs" },
      { ...other, digest: "eggs" },
      { ...third, digest: "bread" }
    ]
    await keep("a", all)
    await keep("b", all)
    const whole = ["a of bread", "a of eggs", "b of bread", "b of eggs"]
    assert.deepStrictEqual(await kept(), { digests: ["bread", "eggs", "eggs"], vectors: whole })

    await remove(service.call, one.id)
    await becomes({ digests: ["bread", "eggs"], vectors: whole })
    await remove(service.call, other.id)
    await becomes({ digests: ["bread"], vectors: ["a of bread", "b of bread"] })
    await remove(service.call, third.id)
    await becomes({ digests: [], vectors: [] })
  })

  it("are not brought back by who had read its text before", async () => {
    const one = await given("late_egg")
    await remove(service.call, one.id)
    await vi.waitFor(
      async () => assert.isEmpty(await service.sql(`SELECT FROM ${schemaOf(Snippets)}.terms WHERE id = $1`, [one.id])),
      { timeout: 60_000, interval: 20 }
    )
    await keep("a", [{ ...one, digest: "late" }])
    assert.deepStrictEqual(await kept(), { digests: [], vectors: [] })
  })

  it("are none of what it said before: of a text that has changed since nothing is kept", async () => {
    const one = await given("new_egg")
    await keep("a", [{ ...one, digest: "old" }])
    await stored(service.call, "new_egg", { task: "another task of an egg" })
    const now = await vi.waitFor(
      async () => {
        const again = await given("new_egg")
        assert.isAbove(again.changed, one.changed)
        return again
      },
      { timeout: 60_000, interval: 20 }
    )
    assert.isEmpty(await service.run(vectorsOf("a", [now])))
    await keep("a", [{ ...one, digest: "older" }])
    assert.deepStrictEqual((await kept()).digests, ["old"])
    await keep("a", [{ ...now, digest: "new" }])
    assert.deepStrictEqual(await kept(), { digests: ["new"], vectors: ["a of new"] })
    assert.deepStrictEqual(await service.run(vectorsOf("a", [now])), new Map([[now.id, "a of new"]]))
  })

  it("are left alone as long as the catalogue has it", async () => {
    const one = await given("kept_egg")
    await keep("a", [{ ...one, digest: "kept" }])
    await service.run(eraseEmbedded([one.id]))
    assert.include((await kept()).digests, "kept")
  })
})
