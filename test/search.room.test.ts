import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { publicEntries, publicSnippets } from "#projections/Snippets/community.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { fresh } from "#src/ask.ts"
import { portioned } from "#src/http/answers.ts"
import { Search } from "#src/search.ts"
import { stored } from "#test/http/store.ts"
import { type Service, startService } from "#test/service.ts"

const tall = (name: string) => `def ${name}(rows):\n${"    rows = sorted(rows)\n".repeat(10_000)}    return rows\n`

let service: Service
beforeAll(async () => {
  service = await startService()
  for (const name of ["heron", "stork"]) {
    const file_written = { path: `${name}.py`, content: tall(name) }
    await stored(service.call, name, { task: "sort tall rows", file_written, public: true })
  }
  await stored(service.call, "wren", { task: "sort small rows", public: true })
})
afterAll(() => service.close())

/** Bytes that are said to be read, in order, by somebody who has room for all or for none. */
const asked: Array<number> = []
const room = (bytes: number) => Effect.sync(() => void asked.push(bytes))
const none = () => Effect.fail("no room" as const)

const scope = { homes: [], includePublic: true, agent: null }
const search = <E>(task: string, limit: number, room: (bytes: number) => Effect.Effect<void, E>) =>
  Effect.gen(function* () {
    const standing = yield* fresh(Snippets)
    const { search } = yield* Search
    return yield* search({ task, limit, minVerdict: 0, preferComplete: false }, scope, standing, room)
  })

describe("what is read for an answer", () => {
  // first: what was read once is at hand
  it("is not read where there is none", async () => {
    assert.strictEqual(await service.run(Effect.flip(search("sort tall rows", 2, none))), "no room")
  })

  it("has room before, when it is large", async () => {
    asked.length = 0
    const { found } = await service.run(search("sort tall rows", 2, room))
    assert.deepStrictEqual(found.map(({ snippet }) => snippet.name).sort(), ["heron", "stork"])
    const bytes = found.reduce((sum, { snippet }) => sum + Buffer.byteLength(snippet.source), 0)
    assert.lengthOf(asked, 1)
    assert.isAtLeast(asked[0]!, bytes)
    // its schemas, tasks and names besides
    assert.isBelow(asked[0]!, bytes * 1.1)
  })

  it("needs none when it is small", async () => {
    const { found } = await service.run(search("wren", 1, none))
    assert.deepStrictEqual(
      found.map(({ snippet }) => snippet.name),
      ["wren"]
    )
  })

  it("is read portion by portion on a page of what is public, whose bytes are known before", async () => {
    const { page } = await service.run(publicSnippets("recent", null, { limit: 10, offset: 0, after: null }))
    const portions = portioned(page)
    assert.deepStrictEqual(
      portions.map(({ length }) => length),
      [1, 1, 1]
    )
    const snippets = (await Promise.all(portions.map((portion) => service.run(publicEntries(portion))))).flat()
    assert.deepStrictEqual(
      snippets.map(({ name }) => name),
      ["wren", "stork", "heron"]
    )
    assert.deepStrictEqual(
      page.map(({ bytes }) => bytes),
      snippets.map(({ source, description }) => Buffer.byteLength(source + description))
    )
  })

  it("is not lost when all that is at hand is forgotten meanwhile", async () => {
    const words = (word: string) => ({ path: `${word}.py`, content: `def ${word}(rows):\n    return rows[0]\n` })
    const crane = { path: "crane.py", content: tall("crane") }
    await stored(service.call, "crane", { task: "sort tall rows", file_written: crane, public: true })
    await service.run(search("sort small rows", 1, none))
    const forgetting = () =>
      Effect.promise(async () => {
        await stored(service.call, "egret", { task: "first of rows", file_written: words("egret"), public: true })
        await service.run(search("egret", 1, none))
      })
    const { found } = await service.run(search("sort small rows", 10, forgetting))
    assert.includeMembers(
      found.map(({ snippet }) => snippet.name),
      ["wren", "heron", "stork", "crane"]
    )
  })
})
