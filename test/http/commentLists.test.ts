import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Call } from "#test/service/call.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { fine } from "./routes.ts"
import { findByName, remove, stored } from "./store.ts"

interface Comment {
  readonly id: string
  readonly email: string
  readonly text: string
}

let service: Service
let owner: Call
beforeAll(async () => {
  service = await startService()
  owner = service.call
})
afterAll(() => service.close())

const open = { "x-cairn-public-snips": "true" }
const ofCustomer = (name: string) => ({ "x-cairn-workspace-id": name })

const snippet = async (name: string, more: object = {}) => {
  await stored(owner, name, more)
  return (await findByName(owner, name))!.code_block.id
}
const said = async (by: Call, code_block_id: string, text: string, headers = {}): Promise<Comment> =>
  fine(await by("POST", "/api/store/comment", { code_block_id, text }, headers)).comment
const asked = (by: Call, id: string, query = "", headers = {}) =>
  by("GET", `/api/snippets/${id}/comments${query}`, undefined, headers)
const page = async (...given: Parameters<typeof asked>) =>
  fine(await asked(...given)) as { readonly comments: ReadonlyArray<Comment>; readonly next_cursor: string | null }
const texts = async (...given: Parameters<typeof asked>) =>
  (await page(...given)).comments.map(({ text }: Comment) => text)

describe("lists of comments", () => {
  it("have all comments on a snippet, the latest first, while others are written, for whoever sees it", async () => {
    const id = await snippet("spoken_of")
    assert.deepStrictEqual(await page(owner, id), { comments: [], next_cursor: null })
    const all: Array<Comment> = []
    for (let n = 1; n <= 22; n++) all.unshift(await said(owner, id, `n${n}`))
    const roles = ["member", "reader"] as const
    const keys = await Promise.all(roles.map((role) => memberKey(owner, `${role}@example.org`, role)))
    for (const by of [owner, ...keys.map(({ key }) => service.as(key))]) {
      const first = await page(by, id)
      assert.deepStrictEqual(first.comments, all.slice(0, 20))
      const second = await page(by, id, `?cursor=${first.next_cursor}`)
      assert.deepStrictEqual(second, { comments: all.slice(20), next_cursor: null })
    }
    const first = await page(owner, id.toUpperCase(), "?limit=21")
    await said(owner, id, "n23")
    assert.deepStrictEqual(await texts(owner, id, `?limit=21&cursor=${first.next_cursor}`), ["n1"])
    assert.deepStrictEqual(await texts(owner, id, "?limit=1"), ["n23"])
  })

  it("have a hundred on a page at the most", async () => {
    const id = await snippet("spoken_of_a_lot")
    for (let n = 0; n < 101; n++) await said(owner, id, `n${n}`)
    const first = await page(owner, id, "?limit=1000")
    assert.strictEqual(first.comments.length, 100)
    assert.deepStrictEqual(await texts(owner, id, `?cursor=${first.next_cursor}`), ["n0"])
  })

  it("end a page where it has its bytes, and have one comment at least", async () => {
    const id = await snippet("talked_through")
    for (let n = 0; n < 10; n++) await said(owner, id, `${n}${"\u20ac".repeat(9_999)}`)
    const first = await page(owner, id, "?limit=100")
    assert.strictEqual(first.comments.length, 8)
    const second = await page(owner, id, `?limit=1000&cursor=${first.next_cursor}`)
    assert.deepStrictEqual(
      [...first.comments, ...second.comments].map(({ text }) => text[0]),
      [..."9876543210"]
    )
    assert.isNull(second.next_cursor)
  })

  it("have of workspaces and strangers what a search shows from there, and no more", async () => {
    const id = await snippet("shared_widely", { public: true })
    const other = await organization(service, "ENTERPRISE")
    await said(owner, id, "Of customer one.", ofCustomer("one"))
    await said(other.call, id, "From afar.", open)
    await said(owner, id, "For all.")
    await said(owner, id, "Of customer two.", ofCustomer("two"))
    const scopes = [
      [owner, {}, ["For all."]],
      [owner, open, ["For all.", "From afar."]],
      [owner, ofCustomer("one"), ["For all.", "Of customer one."]],
      [owner, { ...ofCustomer("two"), ...open }, ["Of customer two.", "For all.", "From afar."]],
      [other.call, open, ["For all.", "From afar."]]
    ] as const
    for (const [by, headers, expected] of scopes) {
      assert.deepStrictEqual(await texts(by, id, "", headers), [...expected])
      const match = (await findByName(by, "shared_widely", headers)) as unknown as { comments: ReadonlyArray<Comment> }
      assert.deepStrictEqual(match.comments.toReversed(), (await page(by, id, "", headers)).comments)
      // what is hidden makes no page shorter
      const first = await page(by, id, "?limit=1", headers)
      assert.strictEqual(first.comments[0]?.text, expected[0])
      assert.strictEqual(first.next_cursor === null, expected.length === 1)
    }
    const afar = (await page(owner, id, "", open)).comments.map(({ email }) => email)
    assert.deepStrictEqual(afar, ["owner@cairn.local", "external"])
    refused(await asked(other.call, id), 404, "not_found/snippet")
    // where one goes on is for the same question only
    const { next_cursor } = await page(owner, id, "?limit=1", open)
    refused(await asked(owner, id, `?cursor=${next_cursor}`), 400, "validation/invalid_field")
    const another = await snippet("shared_as_widely", { public: true })
    refused(await asked(owner, another, `?cursor=${next_cursor}`, open), 400, "validation/invalid_field")
  })

  it("lose what is deleted or erased, and go with the snippet", async () => {
    const id = await snippet("forgotten")
    const max = await memberKey(owner, "max@example.org")
    await said(service.as(max.key), id, "Max was here.")
    const { id: comment } = await said(owner, id, "Never mind.")
    fine(await owner("DELETE", `/api/store/comment/${comment}`))
    const { json } = await owner("POST", "/api/keys/org/list")
    const { user_id } = json.keys.find((one: { user_email: string }) => one.user_email === "max@example.org")
    fine(await owner("DELETE", `/api/users/${user_id}`))
    assert.deepStrictEqual(
      (await page(owner, id)).comments.map(({ email, text }) => [email, text]),
      [["erased", "Max was here."]]
    )
    await remove(owner, id)
    refused(await asked(owner, id), 404, "not_found/snippet")
    refused(await asked(owner, randomUUID()), 404, "not_found/snippet")
    refused(await asked(owner, "forgotten"), 404, "not_found/snippet")
    refused(await asked(owner, id, "?limit=1001"), 400, "validation/invalid_field")
  })
})
