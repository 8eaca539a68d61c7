import { assert, describe, it } from "vitest"
import { blobOf } from "#test/blobOf.ts"
import { calls, says } from "#test/MessagesApi.ts"
import type { Headers } from "#test/service/call.ts"
import { organization } from "#test/service/tenants.ts"
import { ownerKey } from "#test/service.ts"
import { commitsOf, ended, scripts, service, startsAgent, write } from "./agent.ts"
import { refused } from "./problem.ts"

startsAgent()

/** A workspace in which a chat has written `a.txt`. */
const begun = async (user: string) => {
  const prompt = `begin ${user}`
  scripts.set(prompt, (turn) => (turn === 1 ? write("a.txt", "one") : says("ok")))
  const { workspace_id: id, commit } = await ended(service.call, prompt, user)
  return { id: id as string, commit: commit as string }
}

const send = (method: string, id: string, path: string, body?: string | Uint8Array, headers: Headers = {}) =>
  service.call(method, `/api/workspaces/${id}/files/${path}`, body, headers)
const put = (id: string, path: string, body: string | Uint8Array, headers: Headers = {}) =>
  send("PUT", id, path, body, headers)
const remove = (id: string, path: string, headers: Headers = {}) => send("DELETE", id, path, undefined, headers)

const read = async (id: string, path: string) => {
  const { status, text, headers } = await service.call("GET", `/api/workspaces/${id}/files/${path}`)
  return { status, text, etag: headers.get("etag") }
}

const pathsOf = async (id: string) => {
  const { json } = await service.call("GET", `/api/workspaces/${id}/tree`)
  return json.files.map(({ path }: { readonly path: string }) => path)
}

describe("putting a file", () => {
  it("is one commit of the workspace's user, on the head, and one event", async () => {
    const { id, commit } = await begun("puts")
    const bytes = Uint8Array.from([0, 255, 10, 13, 0])
    const head = await service.head()
    const { status, json, headers } = await put(id, "data/in%20put.bin", bytes, { "content-type": "image/png" })
    assert.strictEqual(status, 200)
    assert.strictEqual(await service.head(), head + 1)
    assert.strictEqual(Number(headers.get("cairn-position")), head + 1)
    assert.strictEqual(headers.get("etag"), `"${json.sha}"`)
    const got = await fetch(`${service.url}/api/workspaces/${id}/files/data/in%20put.bin`, {
      headers: { authorization: `Bearer ${ownerKey}` }
    })
    assert.deepStrictEqual(new Uint8Array(await got.arrayBuffer()), bytes)
    assert.strictEqual(got.headers.get("etag"), `"${json.sha}"`)
    const [last] = await commitsOf(id)
    assert.deepInclude(last as never, {
      sha: json.commit,
      parents: [commit],
      session_id: null,
      author: { name: "puts", email: `${id}@cairn` },
      changes: [{ path: "data/in put.bin", status: "created", sha: blobOf(bytes) }]
    })
    const { message, event_id } = last as unknown as { message: string; event_id: string }
    const events = (await service.call("GET", `/api/events?after=${head}`)).json.events
    const { key_id, user_id } = events[0].actor
    const trailers = `Cairn-Event: ${event_id}\nCairn-Key: ${key_id}\nCairn-User: ${user_id}\n`
    assert.strictEqual(message, `Put data/in put.bin\n\n${trailers}`)
    assert.deepInclude(events[0], { type: "FilesChanged" })
    assert.deepInclude(events[0].data, { how: "put", created: 1, modified: 0, deleted: 0, files: 2 })
    const { json: list } = await service.call("GET", "/api/workspaces")
    const row = list.workspaces.find(({ workspace_id }: { readonly workspace_id: string }) => workspace_id === id)
    assert.deepInclude(row, { head: json.commit, commits: 2, files: 2 })

    // and the next chat has it
    scripts.set("look", () => says("seen"))
    const next = await ended(service.call, "look", "puts")
    assert.deepStrictEqual(next.workspace_files, ["a.txt", "data/in put.bin"])
  })

  it("of what is there already changes nothing, and so does the same request again that was not answered", async () => {
    const { id, commit } = await begun("again")
    const head = await service.head()
    assert.strictEqual((await put(id, "a.txt", "one")).json.commit, commit)
    assert.strictEqual(await service.head(), head)
    const key = { "idempotency-key": "k1" }
    const first = await put(id, "a.txt", "two", key)
    await put(id, "a.txt", "three")
    const second = await put(id, "a.txt", "two", key)
    assert.deepStrictEqual(second.json, first.json)
    assert.strictEqual((await read(id, "a.txt")).text, "three")
    refused(await put(id, "a.txt", "four", key), 409, "conflict/idempotency_key_reused")
    // without a key, what was answered can be said once more
    assert.strictEqual((await put(id, "a.txt", "two")).status, 200)
    assert.strictEqual((await read(id, "a.txt")).text, "two")
  })

  it("heeds If-Match and If-None-Match, also when the first answer was lost", async () => {
    const { id } = await begun("matches")
    const { etag } = await read(id, "a.txt")
    const match = { "if-match": etag!, "idempotency-key": "m1" }
    const first = await put(id, "a.txt", "two", match)
    assert.strictEqual(first.status, 200)
    assert.deepStrictEqual((await put(id, "a.txt", "two", match)).json, first.json)
    const head = await service.head()
    refused(await put(id, "a.txt", "three", { "if-match": etag! }), 412, "precondition/failed")
    refused(await put(id, "b.txt", "three", { "if-match": "*" }), 412, "precondition/failed")
    refused(await put(id, "a.txt", "three", { "if-none-match": "*" }), 412, "precondition/failed")
    refused(await put(id, "a.txt", "three", { "if-match": `W/"${first.json.sha}"` }), 412, "precondition/failed")
    // under another condition it is another write
    const changed = { ...match, "if-match": '"x"' }
    refused(await put(id, "a.txt", "two", changed), 409, "conflict/idempotency_key_reused")
    refused(await put(id, "a.txt", "three", { "if-match": "nonsense" }), 400, "validation/invalid_field")
    assert.strictEqual(await service.head(), head)
    assert.strictEqual((await put(id, "b.txt", "three", { "if-none-match": "*" })).status, 200)
    const listed = { "if-match": `"x", "${first.json.sha}"` }
    assert.strictEqual((await put(id, "a.txt", "three", listed)).status, 200)
  })

  it("of two at once with the same If-Match loses one, and of many without it none", async () => {
    const { id } = await begun("together")
    const { etag } = await read(id, "a.txt")
    const both = await Promise.all(["x", "y"].map((text) => put(id, "a.txt", text, { "if-match": etag! })))
    assert.deepStrictEqual(both.map(({ status }) => status).sort(), [200, 412])
    const many = Array.from({ length: 12 }, (_, index) => `many/${index}.txt`)
    const done = await Promise.all(many.map((path) => put(id, path, path)))
    assert.isTrue(done.every(({ status }) => status === 200))
    assert.deepStrictEqual(await pathsOf(id), ["a.txt", ...many.toSorted()])
  })

  it.each([
    ["../out", "%2e%2e/out"],
    [".git/config", ".git/config"],
    ["a folder's end", "a/"],
    ["no name", ""],
    ["a backslash", "a%5Cb"],
    ["NUL", "a%00b"],
    ["no UTF-8", "%ff"],
    ["an absolute path", "%2Fetc/passwd"],
    ["too many parts", `${"a/".repeat(200)}b`],
    ["too long a name", "n".repeat(256)]
  ])("refuses a hostile path: %s", async (_, path) => {
    const { id } = await begun("hostile")
    const head = await service.head()
    const answer = await put(id, path, "x")
    assert.include([400, 404], answer.status, answer.text)
    assert.strictEqual(await service.head(), head)
  })

  it("never goes through a link, and says what is in its way", async () => {
    const { id } = await begun("ways")
    scripts.set("link", (turn) =>
      turn === 1
        ? calls({ name: "Bash", input: { command: "mkdir d; echo x > d/f; ln -s d l; ln -s ../../etc out" } })
        : says("ok")
    )
    await ended(service.call, "link", "ways")
    refused(await put(id, "l/g", "x"), 400, "validation/invalid_path")
    refused(await put(id, "out/passwd", "x"), 400, "validation/invalid_path")
    refused(await put(id, "d", "x"), 409, "conflict/path_taken")
    refused(await put(id, "a.txt/b", "x"), 409, "conflict/path_taken")
    refused(await put(id, ".gitmodules", '[submodule "x"]\n\tpath = ../..\n'), 400, "validation/invalid_path")
    // in place of the link itself, as reading shows it
    assert.strictEqual((await put(id, "l", "now a file")).status, 200)
    assert.strictEqual((await read(id, "l")).text, "now a file")
  })

  it("is for whoever has the workspace, and takes 32 MiB", async () => {
    const { id } = await begun("whose")
    const other = await organization(service, "PRO")
    const foreign = await other.call("PUT", `/api/workspaces/${id}/files/a.txt`, {})
    refused(foreign, 404, "not_found/workspace")
    const large = new Uint8Array(32 * 1024 * 1024).fill(7)
    assert.strictEqual((await put(id, "large", large)).status, 200)
    refused(await put(id, "large", new Uint8Array(32 * 1024 * 1024 + 1)), 413, "body/too_large")
  })
})

describe("deleting a file", () => {
  it("is one commit, once", async () => {
    const { id } = await begun("deletes")
    await put(id, "d/b.txt", "two")
    const { etag } = await read(id, "d/b.txt")
    refused(await remove(id, "d/b.txt", { "if-match": '"x"' }), 412, "precondition/failed")
    refused(await remove(id, "d"), 404, "not_found/file")
    refused(await remove(id, "e"), 404, "not_found/file")
    const key = { "if-match": etag!, "idempotency-key": "d1" }
    const { status, json } = await remove(id, "d/b.txt", key)
    assert.strictEqual(status, 200)
    assert.deepStrictEqual((await remove(id, "d/b.txt", key)).json, json)
    refused(await remove(id, "d/b.txt"), 404, "not_found/file")
    assert.deepStrictEqual(await pathsOf(id), ["a.txt"])
    const [last] = await commitsOf(id)
    const changes = [{ path: "d/b.txt", status: "deleted", sha: blobOf("two") }]
    assert.deepInclude(last as never, { sha: json.commit, changes })
  })

  it("is not waited for by a run, whose files come on top of it", async () => {
    const { id } = await begun("beside")
    const held = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    scripts.set("meanwhile", (turn) => {
      if (turn === 1) return write("c.txt", "three")
      asked.resolve()
      return { ...says("ok"), after: held.promise }
    })
    const chat = ended(service.call, "meanwhile", "beside")
    await asked.promise
    assert.strictEqual((await remove(id, "a.txt")).status, 200)
    assert.strictEqual((await put(id, "b.txt", "two")).status, 200)
    held.resolve()
    assert.deepStrictEqual((await chat).workspace_files, ["b.txt", "c.txt"])
  })
})

describe("opening a workspace", () => {
  const open = (user_id: string, call = service.call, headers: Headers = {}) =>
    call("POST", "/api/workspaces", { org_id: "acme", user_id }, headers)

  it("makes it before any chat, once, and the chat finds what was put into it", async () => {
    const head = await service.head()
    const { status, json } = await open("early")
    assert.deepStrictEqual([status, json.success], [200, true])
    const id: string = json.workspace_id
    assert.strictEqual(await service.head(), head + 2)
    assert.deepStrictEqual((await open("early")).json, json)
    assert.strictEqual(await service.head(), head + 2)
    assert.deepStrictEqual(await pathsOf(id), [])
    assert.strictEqual((await put(id, "b.txt", "two")).status, 200)
    const begins = await begun("early")
    assert.strictEqual(begins.id, id)
    assert.deepStrictEqual(await pathsOf(id), ["a.txt", "b.txt"])
    assert.strictEqual((await open("early")).json.commit, begins.commit)
    assert.deepStrictEqual(
      (await commitsOf(id)).map(({ parents }) => parents.length),
      [1, 1, 0]
    )
  })

  it("by many at once is one opening, and begins anew after an erasure", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => open("crowd")))
    const [{ json }] = answers as [(typeof answers)[number]]
    for (const answer of answers) assert.deepStrictEqual(answer.json, json)
    const id: string = json.workspace_id
    assert.strictEqual((await commitsOf(id)).length, 1)
    await put(id, "a.txt", "one")
    const key = { "idempotency-key": "open" }
    await open("crowd", service.call, key)
    assert.strictEqual((await service.call("DELETE", `/api/workspaces/${id}`)).status, 200)
    refused(await put(id, "a.txt", "one"), 404, "not_found/workspace")
    assert.strictEqual((await open("crowd", service.call, key)).status, 200)
    assert.deepStrictEqual(await pathsOf(id), [])
  })
})
