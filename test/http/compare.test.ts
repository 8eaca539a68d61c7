import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { memberKey, organization } from "#test/service/tenants.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { Cairn, NotFoundError } from "../../clients/typescript/src/index.ts"

describe("two commits of a workspace", () => {
  let service: Service
  let cairn: Cairn
  let id: string
  const commits: Array<string> = []
  beforeAll(async () => {
    service = await startService()
    cairn = new Cairn({ apiKey: ownerKey, baseUrl: service.url })
    id = (await cairn.workspaces.open({ org: "acme", user: "ada" })).workspaceId
    for (const [path, content] of [
      ["a.txt", "one\n"],
      ["b.txt", "bee\n"],
      ["a.txt", "two\n"]
    ] as const)
      commits.push((await cairn.workspaces.putFile(id, path, content)).commit)
  })
  afterAll(() => service?.close())

  it("are compared, whichever came first, and with the head unless told", async () => {
    const [first, second, third] = commits
    const onwards = await cairn.workspaces.compare(id, { base: first!, at: third! })
    assert.deepInclude(onwards, { base: first!, at: third! })
    assert.match(onwards.diff, /^-one$/m)
    assert.match(onwards.diff, /^\+two$/m)
    assert.match(onwards.diff, /^\+bee$/m)
    const head = await cairn.workspaces.compare(id, { base: first! })
    assert.strictEqual(head.diff, onwards.diff)
    const back = await cairn.workspaces.compare(id, { base: third!, at: second! })
    assert.match(back.diff, /^-two$/m)
    assert.match(back.diff, /^\+one$/m)
    assert.notMatch(back.diff, /bee/)
    assert.strictEqual((await cairn.workspaces.compare(id, { base: second!, at: second! })).diff, "")
  })

  it("are the workspace's own, and of who may see it", async () => {
    const refused = (base: string, at?: string, as = cairn) =>
      as.workspaces.compare(id, { base, at }).catch((error: unknown) => error)
    for (const base of ["0".repeat(40), "main", "x"]) assert.instanceOf(await refused(base), NotFoundError, base)
    assert.instanceOf(await refused(commits[0]!, "0".repeat(40)), NotFoundError)
    const { key } = await organization(service, "ENTERPRISE")
    const stranger = new Cairn({ apiKey: key, baseUrl: service.url })
    assert.instanceOf(await refused(commits[0]!, commits[1]!, stranger), NotFoundError)
    const member = await memberKey(service.call, "m@example.org", "member")
    const other = new Cairn({ apiKey: member.key, baseUrl: service.url })
    assert.instanceOf(await refused(commits[0]!, commits[1]!, other), NotFoundError)
  })
})
