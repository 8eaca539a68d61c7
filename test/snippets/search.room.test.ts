import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import { fresh } from "#engine/ask.ts"
import { dispatch } from "#engine/dispatch.ts"
import { publicEntries, publicSnippets } from "#projections/Snippets/community.ts"
import { Snippets, schema } from "#projections/Snippets/tables.ts"
import { portioned } from "#src/portions.ts"
import { Search } from "#src/snippets/search.ts"
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

const scope = { homes: [], includePublic: true, agent: null }
const search = (task: string, limit: number) =>
  Effect.gen(function* () {
    const standing = yield* fresh(Snippets)
    const { search, read } = yield* Search
    const { found } = yield* search({ task, limit, minVerdict: 0, preferComplete: false }, scope, standing)
    return { found, read: (some = found) => read(some, scope) }
  })

describe("what is read for an answer", () => {
  // first: what was read once is at hand
  it("is not read with a search when it is large, but how many bytes it has", async () => {
    const { found, read } = await service.run(search("sort tall rows", 2))
    assert.deepStrictEqual(
      found.map(({ snippet }) => snippet),
      [undefined, undefined]
    )
    const snippets = await service.run(read())
    assert.deepStrictEqual(snippets.map(({ snippet }) => snippet.name).sort(), ["heron", "stork"])
    for (const { bytes, snippet } of snippets) {
      const least = Buffer.byteLength(snippet.source)
      // its schemas, tasks and names besides
      assert.isTrue(bytes >= least && bytes < least * 1.1, `${bytes}`)
    }
    assert.lengthOf(portioned(found), 2)
  })

  it("is there when it is small", async () => {
    const { found } = await service.run(search("wren", 1))
    assert.deepStrictEqual(
      found.map(({ snippet }) => snippet?.name),
      ["wren"]
    )
  })

  it("counts what is said of it too", async () => {
    const first = async () => (await service.run(search("tall heron", 1))).found[0]!
    const { id, bytes } = await first()
    const comment = { code_block_id: id, text: "字".repeat(9_000) }
    assert.strictEqual((await service.call("POST", "/api/store/comment", comment)).status, 200)
    assert.isAtLeast((await first()).bytes, bytes + 26_000)
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
    const { found, read } = await service.run(search("sort rows", 10))
    const [first, ...rest] = found
    const names = [...(await service.run(read([first!])))]
    await stored(service.call, "egret", { task: "first of rows", file_written: words("egret"), public: true })
    await service.run(search("egret", 1))
    names.push(...(await service.run(read(rest))))
    assert.sameMembers(
      names.map(({ snippet }) => snippet.name),
      ["wren", "heron", "stork"]
    )
  })

  // last: it takes what the others look for
  it("is left out when it was deleted or withdrawn since, and a deleted comment is not told any more", async () => {
    const { found, read } = await service.run(search("sort tall rows", 2))
    const { page } = await service.run(publicSnippets("recent", null, { limit: 10, offset: 0, after: null }))
    const names = async () => (await service.run(read())).map(({ snippet }) => snippet.name).sort()
    assert.deepStrictEqual(await names(), ["heron", "stork"])
    const idOf = (name: string) => found.find(({ filename }) => filename.startsWith(name))!.id
    const [heron, stork] = [idOf("heron"), idOf("stork")]
    const said = await service.call("POST", "/api/store/comment", { code_block_id: stork, text: "said once" })
    const told = async () =>
      (await service.run(read())).flatMap(({ snippet }) => snippet.comments.map(({ text }) => text))
    await service.run(fresh(Snippets))
    assert.include(await told(), "said once")
    await service.call("DELETE", `/api/store/comment/${said.json.comment.id}`)
    assert.notInclude(await told(), "said once")
    await service.call("POST", "/api/snippets/delete", { snippet_id: heron })
    assert.deepStrictEqual(await names(), ["stork"])
    const [place] = await service.sql<{ tenant: string }>(`SELECT tenant FROM ${schema}.snippets WHERE id = $1`, [
      stork
    ])
    const command = SnippetCommand.WithdrawSnippet({ snippet: stork, rules: "r", found: [] })
    const attempt = {
      commandId: randomUUID(),
      correlationId: randomUUID(),
      actor: { key: null, user: null, organization: null }
    }
    const withdrawal = dispatch(Snippet, { tenant: place!.tenant, stream: `snippet-${stork}`, command, ...attempt })
    await service.run(Effect.andThen(withdrawal, fresh(Snippets)))
    assert.deepStrictEqual(await names(), [])
    const left = (await service.run(publicEntries(page))).map(({ name }) => name)
    assert.deepStrictEqual(left, ["egret", "wren"])
  })

  it("is what the scope sees by the catalogue, whatever an index that is behind has", async () => {
    const texts = { plover: "def plover(rows):\n    return rows[-1]\n", avocet: tall("avocet") }
    for (const [name, content] of Object.entries(texts)) {
      const file_written = { path: `${name}.py`, content }
      await stored(service.call, name, { task: `ask the ${name}`, file_written, public: true })
      const task = (n: number) => `ask the ${name}, attempt ${n}`
      const names = async (n: number) => (await service.run(search(task(n), 1))).found.map(({ filename }) => filename)
      assert.deepStrictEqual(await names(1), [`${name}.py`])
      // the index is told by an event, and there is none
      await service.sql(`UPDATE ${schema}.snippets SET published = false WHERE name = $1`, [name])
      // of the small one, what was read is at hand until the catalogue moves on
      await stored(service.call, `${name}_after`, { task: "move on" })
      assert.notInclude(await names(2), `${name}.py`)
      await service.sql(`UPDATE ${schema}.snippets SET published = true, agent = 'another' WHERE name = $1`, [name])
      await stored(service.call, `${name}_later`, { task: "move on" })
      const asked = Effect.gen(function* () {
        const standing = yield* fresh(Snippets)
        const question = { task: task(3), limit: 1, minVerdict: 0, preferComplete: false }
        return (yield* (yield* Search).search(question, { ...scope, agent: "one" }, standing)).found
      })
      assert.notInclude(
        (await service.run(asked)).map(({ filename }) => filename),
        `${name}.py`
      )
    }
  })

  it("counts its tags and what it is capable of", async () => {
    const many = (count: number, length: number) =>
      Array.from({ length: count }, (_, n) => `${n}${"字".repeat(length)}`)
    const block = {
      name: "tagged",
      source: "tagged = 1",
      entrypoint: "f",
      language: "python",
      description: "heavy wagtail"
    }
    const given = { ...block, tags: many(500, 190), capabilities: many(50, 900), public: true }
    const { status, text } = await service.call("POST", "/api/store/code-block", given)
    assert.strictEqual(status, 200, text)
    const [one] = (await service.run(search("heavy wagtail", 1))).found
    assert.isUndefined(one!.snippet)
    assert.isAtLeast(one!.bytes, 3 * (500 * 190 + 50 * 900))
  })
})
