import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { inProcess } from "./cairn.ts"

/** What is typed counts, or is refused: nothing is left out without a word. */
describe("what a verb is given", () => {
  let service: Service
  let folder: string
  /** Workspaces of acme: ann's and bob's. */
  const ids: Array<string> = []
  const places: Record<"here" | "there", { readonly [name: string]: string }> = { here: {}, there: {} }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "cairn-naming-"))
    writeFileSync(join(folder, "note.txt"), "kept\n")
    service = await startService()
    places.here = { CAIRN_DATA_DIR: service.dataDir, DATABASE_URL: Redacted.value(service.database), INIT_CWD: folder }
    places.there = { CAIRN_URL: service.url, CAIRN_API_KEY: ownerKey, INIT_CWD: folder }
    for (const user of ["ann", "bob"]) {
      const { code, out, err } = await inProcess(places.there, [
        "workspace",
        "import",
        folder,
        "--org-id",
        "acme",
        "--user-id",
        user,
        "--json"
      ])
      assert.strictEqual(code, 0, err)
      ids.push(JSON.parse(out).workspace_id)
    }
  })
  afterAll(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const workspaces = async () => {
    const { out } = await inProcess(places.there, ["workspace", "list", "--json"])
    return (JSON.parse(out).workspaces as ReadonlyArray<{ workspace_id: string; head: string }>)
      .map(({ workspace_id, head }) => `${workspace_id} ${head}`)
      .sort()
  }
  /** One line, and exit code 1. */
  const refused = async (env: { readonly [name: string]: string }, ...args: ReadonlyArray<string>) => {
    const { code, out, err } = await inProcess(env, args)
    assert.deepStrictEqual([code, out], [1, ""], `${args.join(" ")}: ${err}`)
    assert.match(err, /^cairn: .*\n$/)
    return err
  }

  it.each(["here", "there"] as const)(
    "names a workspace by its id or by the pair of its chats, not by both, %s",
    async (place) => {
      const before = await workspaces()
      const [, bobs = ""] = ids
      const sha = before[0]!.split(" ")[1]!
      for (const pair of [
        ["--org-id", "acme", "--user-id", "ann"],
        ["--org-id", "acme"],
        ["--user-id", "ann"],
        ["--org-id", "new", "--user-id", "nobody"]
      ]) {
        for (const verb of ["diff", "files", "log"])
          for (const typed of [bobs, sha, "nonsense"])
            assert.match(
              await refused(places[place], "workspace", verb, ...pair, typed),
              /by its id or by --org-id and --user-id, not by both\. A commit is --at SHA\./
            )
        for (const [verb, more] of [
          ["cat", ["note.txt"]],
          ["restore", [sha]],
          ["import", [folder]],
          ["erase", []]
        ] as const) {
          const said = await refused(places[place], "workspace", verb, ...pair, bobs, ...more)
          assert.match(said, /by its id or by --org-id and --user-id, not by both\./, verb)
        }
      }
      // nothing was erased, changed or made
      assert.deepStrictEqual(await workspaces(), before)
      const { code, err } = await inProcess(places[place], ["workspace", "files", bobs])
      assert.strictEqual(code, 0, err)
    }
  )

  it("finds a workspace in the organization that --org names, and nowhere else", async () => {
    const { here } = places
    const other = ["org", "create", "--name", "Other", "--tier", "PRO", "--owner-email", "o@other.test"]
    assert.strictEqual((await inProcess(here, other)).code, 0)
    const [anns = ""] = ids
    for (const verb of ["files", "erase"])
      assert.match(await refused(here, "workspace", verb, anns, "--org", "Other"), /There is no workspace .* in Other/)
    const { code, err } = await inProcess(here, ["workspace", "files", anns.slice(0, 8), "--org", "Cairn"])
    assert.strictEqual(code, 0, err)
  })

  it("leaves out no flag without a word", async () => {
    const { here } = places
    assert.match(
      await refused(here, "key", "list", "--org", "Cairn", "--email", "owner@cairn.local"),
      /--org and --email exclude each other/
    )
    assert.match(await refused(here, "events", "--follow", "--limit", "1"), /--limit goes with no --follow/)
    assert.match(
      await refused(here, "replay", "--as-of", "1", "--drop", "--projection", "keys"),
      /--drop removes the tables of all read models: leave --projection out/
    )
  })
})
