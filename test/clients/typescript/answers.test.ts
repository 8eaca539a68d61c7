import { assert, describe, it } from "vitest"
import { APIError, CacheUnavailableError } from "../../../clients/typescript/src/index.ts"
import { failure, fine, type Reply, stub } from "./stub.ts"

const newer = { ...fine, body: { ...fine.body, votes_today: 12345 } }

describe("an answer", () => {
  it("comes with the result, and its body can still be read: a newer service says more", async () => {
    const { vote } = stub([newer])
    const { data, response } = await vote().withResponse()
    assert.isTrue(data.success)
    assert.deepStrictEqual(await response.json(), newer.body)
  })
  it("comes alone, as it was sent, and is not looked at", async () => {
    const { vote, sent } = stub([{ status: 200, body: "no JSON: ö", headers: { "x-more": "1" } }])
    const voting = vote()
    const response = await voting.asResponse()
    assert.deepStrictEqual([response.status, response.headers.get("x-more")], [200, "1"])
    assert.strictEqual(await response.text(), "no JSON: ö")
    assert.strictEqual(await (await voting.asResponse()).text(), "no JSON: ö")
    assert.instanceOf(await failure(voting), APIError)
    assert.strictEqual(sent.length, 1)
  })
  it("of bytes is bytes, also alone; one without a body has none", async () => {
    const bytes = new Uint8Array([0xff, 0, 0xfe])
    const file: Reply = async () => new Response(bytes)
    const { cairn } = stub([file, file, async () => new Response(null, { status: 204 })])
    assert.deepStrictEqual(await cairn.workspaces.file("id", "a"), bytes)
    const response = await cairn.workspaces.file("id", "a").asResponse()
    assert.deepStrictEqual(new Uint8Array(await response.arrayBuffer()), bytes)
    assert.strictEqual((await cairn.workspaces.file("id", "a").asResponse()).status, 204)
  })
  it("is read once, however often the call is waited for", async () => {
    const { cairn, sent } = stub([{ status: 200, body: { matches: [], total_found: 0, cache_hit: false } }])
    const searching = cairn.search({ task: "x" })
    const [first, second, { data }] = await Promise.all([searching, searching, searching.withResponse()])
    assert.strictEqual(first, second)
    assert.strictEqual(first, data)
    assert.strictEqual(sent.length, 1)
  })
  it("that refuses fails each way of waiting", async () => {
    const { vote } = stub([{ status: 404, body: { message: "No." } }])
    const voting = vote()
    for (const way of [voting, voting.withResponse(), voting.asResponse()]) {
      assert.deepInclude(await failure(way), { statusCode: 404, message: "No." })
    }
  })
})

describe("an answer of somebody in between", () => {
  it("such as a proxy's page is told by its beginning", async () => {
    const page = "<html>\n<head><title>502 Bad Gateway</title></head>\n</html>"
    const { vote } = stub([{ status: 502, body: page, headers: { "content-type": "text/html" } }])
    const error = (await failure(vote())) as CacheUnavailableError
    assert.instanceOf(error, CacheUnavailableError)
    assert.deepInclude(error, { statusCode: 502, code: null })
    assert.include(error.message, "answered with 502: <html> <head><title>502 Bad Gateway")
  })
  it("that leads elsewhere is not followed, and says where, without what may be secret", async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const location = "https://cairn.example/login?token=hunter2"
      const { vote, sent } = stub([{ status, body: "", headers: { location } }, fine])
      const error = (await failure(vote())) as APIError
      assert.instanceOf(error, APIError)
      assert.strictEqual(error.statusCode, status)
      assert.include(error.message, "https://cairn.example")
      assert.include(error.message, "baseUrl")
      assert.notInclude(error.message, "hunter2")
      assert.strictEqual(sent.length, 1)
    }
    const { vote } = stub([{ status: 307, body: "", headers: { location: "/elsewhere" } }])
    assert.include(((await failure(vote())) as APIError).message, "redirect")
  })
})
