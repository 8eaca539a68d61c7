import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { service as asking } from "#src/cli/service/asking.ts"
import { Surroundings } from "#src/cli/surroundings.ts"
import { nobodysPorts } from "#test/nobodysPorts.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { inProcess } from "./cairn.ts"

/** The command line on another machine: no data folder and no database, but an address and a key. */
describe("cairn, asking a service", () => {
  let service: Service
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "cairn-asking-"))
    service = await startService()
  })
  afterAll(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const there = (more: { readonly [name: string]: string } = {}) => ({
    CAIRN_URL: service.url,
    CAIRN_API_KEY: ownerKey,
    CAIRN_DATA_DIR: join(folder, "nothing"),
    DATABASE_URL: "",
    INIT_CWD: folder,
    ...more
  })
  const run = (...args: ReadonlyArray<string>) => inProcess(there(), args)
  const json = async <A>(...args: ReadonlyArray<string>): Promise<A> => {
    const { code, out, err } = await run(...args, "--json")
    assert.deepStrictEqual([code, err], [0, ""], args.join(" "))
    assert.strictEqual(out.trimEnd().split("\n").length, 1)
    return JSON.parse(out)
  }
  const refused = async (args: ReadonlyArray<string>, env = there()) => {
    const { code, out, err } = await inProcess(env, args)
    assert.deepStrictEqual([code, out], [1, ""], err)
    assert.match(err, /^cairn: .*\n$/)
    return err
  }

  it("uploads, finds, votes on, comments on, prints and deletes snippets", async () => {
    writeFileSync(join(folder, "tides.py"), "def tides(moon):\n    return moon * 2\n")
    writeFileSync(join(folder, "printed.log"), "two tides a day\n")
    const stored = await run(
      "upload",
      "tides.py",
      "--task",
      "predict the tides",
      "--vote",
      "up",
      "--log",
      "printed.log"
    )
    assert.deepStrictEqual(stored, { code: 0, out: "Stored tides.\n", err: "" })
    const found = await json<{
      matches: ReadonlyArray<{ code_block: { id: string; name: string }; thumbs_up: number }>
    }>(...["search", "predict the tides", "--limit", "1"])
    const [match] = found.matches
    assert.deepStrictEqual([match!.code_block.name, match!.thumbs_up], ["tides", 1])
    const { id } = match!.code_block
    assert.include(await json<{ success: boolean }>("vote", id, "down", "--task", "predict the tides"), {
      success: true
    })
    assert.include((await json<{ comment: object }>("snippet", "comment", id, "Not at the poles.")).comment, {
      text: "Not at the poles."
    })
    const shown = await run("snippet", "show", id)
    assert.include(shown.out, "def tides(moon):\n    return moon * 2\n")
    assert.include(shown.out, "two tides a day")
    const listed = await run("search", "predict the tides")
    assert.match(listed.out, /^ID +NAME +SCORE +UP +DOWN +LANGUAGE/)
    assert.match(listed.out, new RegExp(`\n${id} +tides +[01]\\.\\d\\d +1 +1 +python`))
    // of a voter the last word counts
    const why = await run("search", "predict the tides", "--explain")
    assert.match(why.out, /\ntides: [01]\.\d\d by words and meaning\n {2}words [01]\.\d\d: .*tides? \(name\) 0\.\d\d/)
    assert.match(why.out, /\n {2}meaning \(by table\) 0\.\d\d: .*predict → \w+ [01]\.\d\d/)
    assert.match(why.out, /\n {2}for predict the tides \(0\.98 near\): 0 for it, 1 against\n {2}votes [+-]\d+\.\d\d, /)
    assert.notInclude(listed.out, "meaning")
    assert.deepStrictEqual((await run("snippet", "delete", "tides")).code, 0)
    assert.match(await refused(["snippet", "show", id]), /no snippet/i)
  })

  it("shows a customer's snippets, and comments on them, where their workspace is named", async () => {
    writeFileSync(join(folder, "reef.py"), "def reef(coral):\n    return coral\n")
    const of = ["--workspace", "reefs"]
    await json("upload", "reef.py", "--task", "grow a reef", ...of)
    const [match] = (
      await json<{ matches: ReadonlyArray<{ code_block: { id: string } }> }>("search", "grow a reef", ...of)
    ).matches
    const { id } = match!.code_block
    assert.match(await refused(["snippet", "show", id]), /no snippet/i)
    assert.include((await run("snippet", "show", id, ...of)).out, "def reef(coral)")
    assert.match(await refused(["snippet", "comment", "reef", "Of fire coral."]), /No snippet/)
    // also by its name
    assert.isObject((await json<{ comment: object }>("snippet", "comment", "reef", "Of fire coral.", ...of)).comment)
  })

  it("uploads several files at once, each with its vote", async () => {
    for (const name of ["ebb", "flow"]) writeFileSync(join(folder, `${name}.py`), `def ${name}(sea):\n    return sea\n`)
    const stored = await json("upload", "ebb.py", "flow.py", "--task", "move the sea", "--vote", "down")
    assert.include(stored, { success: true, code_blocks_stored: 2 })
    assert.match(await refused(["upload", "ebb.py", "flow.py", "--task", "t", "--failed"]), /one by one/)
    assert.match(await refused(["upload", "nothing.py", "--task", "t"]), /nothing\.py can't be read/)
    writeFileSync(join(folder, "binary.py"), new Uint8Array([0xff, 0xfe]))
    assert.match(await refused(["upload", "binary.py", "--task", "t"]), /no UTF-8 text/)
  })

  it("chats, and has of a workspace what the command line beside the service has", async () => {
    writeFileSync(join(folder, "surge.py"), "def surge(wind):\n    return wind * 3\n")
    await json("upload", "surge.py", "--task", "predict the surge", "--vote", "up")
    const chat = ["chat", "predict the surge", "--org-id", "sea", "--user-id", "ann", "--model", "local"]
    const said = await json<{ success: boolean; workspace_id: string; commit: string }>(...chat)
    assert.isTrue(said.success)
    // without a language model there is no account but a line
    await json(...chat.with(3, "lake"), "--memory")
    const memory = ["workspace", "cat", "--org-id", "lake", "--user-id", "ann", ".cairn/memory.md"]
    assert.match((await run(...memory)).out, /^# Earlier chats\n\n- [\d-]{10}: predict the surge \(done\)\n$/)
    const again = await run(...chat)
    assert.match(again.out, new RegExp(`Commit [0-9a-f]{40} of workspace ${said.workspace_id}\\.\n$`))
    const id = said.workspace_id
    const beside = { CAIRN_DATA_DIR: service.dataDir, DATABASE_URL: Redacted.value(service.database) }
    const [first] = (await json<{ commits: ReadonlyArray<{ sha: string; changes: unknown }> }>("workspace", "log", id))
      .commits
    for (const verb of [
      ["workspace", "list"],
      ["workspace", "log", "--org-id", "sea", "--user-id", "ann"],
      ["workspace", "log", id, "--limit", "1"],
      ["workspace", "log", id, "--before", said.commit.slice(0, 8)],
      ["workspace", "log", id, "--at", said.commit, "--path", "surge.py"],
      ["workspace", "files", id.slice(0, 8)],
      ["workspace", "files", id, "--at", said.commit.slice(0, 10)],
      ["workspace", "diff", id, "--at", said.commit],
      ["workspace", "diff", id, "--at", first!.sha.slice(0, 8)],
      ["key", "list"]
    ]) {
      const there = await json<Record<string, unknown>>(...verb)
      const here = await inProcess(beside, [...verb, "--json"])
      assert.strictEqual(here.code, 0, here.err)
      // git keeps seconds; a commit's changes, and when a key was last used, are the service's to tell
      const told = (text: string) => text.replaceAll(/\.\d{3}Z/g, ".000Z")
      const alike = (text: string) =>
        JSON.parse(told(text), (name, value) => (["changes", "last_used_at"].includes(name) ? undefined : value))
      assert.deepStrictEqual(alike(JSON.stringify(there)), alike(here.out), verb.join(" "))
      const lines = await run(...verb)
      const { out } = await inProcess(beside, verb)
      if (verb[0] === "workspace") assert.strictEqual(told(lines.out), told(out), verb.join(" "))
    }
    assert.match(await refused(["workspace", "log", "nobody"]), /no workspace nobody/)
    assert.match(await refused(["workspace", "log"]), /Name the workspace/)
    assert.match(await refused(["workspace", "diff", id, "--at", "0000"]), /no commit 0000/)
    assert.match(await refused(["workspace", "cat", id, "missing.py"]), /no such file/i)
    assert.include(await json<{ success: boolean }>("workspace", "restore", id, said.commit), { success: true })
    assert.match((await run("workspace", "erase", id)).out, new RegExp(`^Erased ${id}: \\d+ commits, 2 chats`))
  })

  it("prints a file of a workspace, as text and as JSON", async () => {
    const content = "def knots(miles):\n    return miles\n"
    await service.call("POST", "/api/store/execution-result", {
      task: "count the knots",
      file_written: { path: "knots.py", content },
      succeeded: true,
      user_vote: 1
    })
    const chat = ["chat", "count the knots", "--org-id", "sea", "--user-id", "bob", "--model", "local"]
    const { workspace_id: id, changed_files: files } = await json<{ workspace_id: string; changed_files: string[] }>(
      ...chat
    )
    const beside = { CAIRN_DATA_DIR: service.dataDir, DATABASE_URL: Redacted.value(service.database) }
    for (const more of [[], ["--json"]]) {
      const verb = ["workspace", "cat", id, files[0]!, ...more]
      assert.deepStrictEqual(await run(...verb), await inProcess(beside, verb))
    }
  })

  it("imports a folder and an archive into a workspace, as the command line beside the service does", async () => {
    const source = join(folder, "tide-tables")
    mkdirSync(join(source, ".git"), { recursive: true })
    mkdirSync(join(source, "lib", "d".repeat(120)), { recursive: true })
    writeFileSync(join(source, ".git", "config"), "x")
    writeFileSync(join(source, "lib", "d".repeat(120), "ä.py"), "a = 1\n")
    writeFileSync(join(source, "run.sh"), "#!/bin/sh\n", { mode: 0o755 })
    writeFileSync(join(source, "empty"), "")
    symlinkSync("run.sh", join(source, "link"))
    interface Imported {
      readonly workspace_id: string
      readonly commit: string
      readonly created: number
      readonly deleted: number
    }
    const pair = ["--org-id", "sea", "--user-id", "imported"]
    const first = await json<Imported>("workspace", "import", "tide-tables", ...pair)
    assert.strictEqual(first.created, 4)
    const id = first.workspace_id
    const filesOf = async () =>
      (
        await json<{ files: ReadonlyArray<{ path: string; mode: string; size: number }> }>("workspace", "files", id)
      ).files.map(({ path, mode, size }) => [path, mode, size])
    assert.deepStrictEqual(await filesOf(), [
      ["empty", "100644", 0],
      [`lib/${"d".repeat(120)}/ä.py`, "100644", 6],
      ["link", "120000", 6],
      ["run.sh", "100755", 10]
    ])
    // beside the service the same folder is the same files, so no commit
    const beside = { CAIRN_DATA_DIR: service.dataDir, DATABASE_URL: Redacted.value(service.database), INIT_CWD: folder }
    const again = await inProcess(beside, ["workspace", "import", id, "tide-tables", "--json"])
    assert.deepInclude(JSON.parse(again.out), { commit: first.commit, created: 0, modified: 0 })
    execFileSync("tar", ["-czf", join(folder, "some.tgz"), "-C", source, "run.sh"])
    const second = await run("workspace", "import", id.slice(0, 8), "some.tgz", "--path", "lib", "--replace")
    assert.match(second.out, new RegExp(`^[0-9a-f]{40}: 1 created, 0 modified, 1 deleted in ${id}\\.\n$`), second.err)
    const { length } = (await json<{ commits: ReadonlyArray<object> }>("workspace", "log", id)).commits
    assert.match(await refused(["workspace", "import", "nothing", ...pair]), /There is no nothing/)
    assert.match(await refused(["workspace", "import", "nobody", "tide-tables"]), /no workspace nobody/)
    assert.match(await refused(["workspace", "import", id, "some.tgz", "--path", "../x"]), /path/i)
    symlinkSync("/etc/passwd", join(source, "out"))
    assert.match(await refused(["workspace", "import", "tide-tables", ...pair]), /leads out/)
    rmSync(join(source, "out"))
    execFileSync("mkfifo", [join(source, "pipe")])
    assert.match(await refused(["workspace", "import", "tide-tables", ...pair]), /pipe: It is a device or a pipe/)
    rmSync(join(source, "pipe"))
    writeFileSync(join(source, "noise"), randomBytes(33 * 1024 * 1024))
    assert.match(await refused(["workspace", "import", "tide-tables", ...pair]), /more than 32 MiB/)
    assert.lengthOf((await json<{ commits: ReadonlyArray<object> }>("workspace", "log", id)).commits, length)
  })

  it("makes no workspace for an import that can't be", async () => {
    const fill = (name: string, fill: (source: string) => void) => {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, "a.py"), "a = 1\n")
      fill(join(folder, name))
    }
    fill("fine", () => {})
    fill("leading-out", (source) => symlinkSync("/etc/passwd", join(source, "out")))
    for (const name of ["fine", "leading-out"])
      execFileSync("tar", ["-czf", join(folder, `${name}.tgz`), "-C", join(folder, name), "."])
    writeFileSync(join(folder, "junk.zip"), "PK\u0003\u0004junk")
    writeFileSync(join(folder, "cut.tgz"), readFileSync(join(folder, "fine.tgz")).subarray(0, 60))
    const workspaces = async () => (await json<{ workspaces: ReadonlyArray<object> }>("workspace", "list")).workspaces
    const before = await workspaces()
    const beside = { CAIRN_DATA_DIR: service.dataDir, DATABASE_URL: Redacted.value(service.database), INIT_CWD: folder }
    const pair = ["--org-id", "sea", "--user-id", "nobody"]
    for (const env of [there(), beside]) {
      for (const [source, path, why] of [
        ["fine", "../x", /^cairn: The path can't be: /],
        ["fine.tgz", "a//b", /^cairn: The path can't be: /],
        ["junk.zip", "", /zip can't be read/],
        ["cut.tgz", "", /cut off/],
        ["fine/a.py", "", /neither a zip nor a tar/],
        ["leading-out", "", /out[:.] It is a link that leads out/],
        ["leading-out.tgz", "in", /out[:.] It is a link that leads out/],
        ["fine", Array.from({ length: 200 }, () => "d").join("/"), /path/]
      ] as const) {
        const args = ["workspace", "import", source, ...pair, ...(path === "" ? [] : ["--path", path])]
        assert.match(await refused(args, { ...there({ CAIRN_URL: "", CAIRN_API_KEY: "" }), ...env }), why, source)
      }
    }
    assert.deepStrictEqual(await workspaces(), before)
    assert.strictEqual((await run("workspace", "import", "fine.tgz", ...pair)).code, 0)
    assert.lengthOf(await workspaces(), before.length + 1)
  })

  it("bounds keys, when they are made and later", async () => {
    const id = "0e0e0e0e-0e0e-4e0e-8e0e-0e0e0e0e0e0e"
    const made = await json<Record<string, unknown>>(
      ...["key", "create", "--email", "rae@example.org", "--name", "reads", "--role", "reader", "--acts-as", "rae"],
      ...["--read-only", "--expires", "2090-01-31", "--in-workspace", id, "--model", "local"]
    )
    const bounds = { read_only: true, expires_at: "2090-01-31T00:00:00.000Z", workspaces: [id], models: ["local"] }
    assert.deepInclude(made, { role: "reader", acts_for: "own", acts_as: "rae", ...bounds })
    assert.match((await run("key", "list")).out, /rae@example\.org +reader +own +reads, 1 workspaces, local /)
    const key = String(made["key_id"])
    const limited = await json<object>("key", "limit", key, "--acts-for", "any", "--model", "opus", "--model", "local")
    assert.deepInclude(limited, { key_id: key, ...bounds, acts_for: "any", models: ["opus", "local"] })
    assert.match(await refused(["key", "limit", key]), /No bound is given/)
    assert.match(await refused(["key", "limit", key, "--expires", "2020-01-01"]), /is over/)
    assert.match(await refused(["key", "limit", id, "--read-only"]), /key/)
  })

  it("lists people, changes what they may do, and erases them", async () => {
    const { key } = await json<{ key: string }>("key", "create", "--email", "Pat@example.org", "--name", "laptop")
    type People = { users: ReadonlyArray<{ user_id: string; user_email: string; role: string }> }
    const people = await json<People>("user", "list")
    const beside = { CAIRN_DATA_DIR: service.dataDir, DATABASE_URL: Redacted.value(service.database) }
    const here = await inProcess(beside, ["user", "list", "--json"])
    const told = (text: string) => JSON.parse(text, (name, value) => (name === "last_used_at" ? undefined : value))
    assert.deepStrictEqual(told(JSON.stringify(people)), told(here.out))
    const pat = people.users.find(({ user_email }) => user_email === "pat@example.org")!
    assert.strictEqual(pat.role, "member")
    assert.deepInclude(await json<object>("user", "role", "Pat@Example.org", "reader"), {
      user_id: pat.user_id,
      role: "reader"
    })
    assert.match((await run("user", "list")).out, /pat@example\.org +reader +1 /)
    assert.match(
      await refused(["user", "list"], there({ CAIRN_API_KEY: key })),
      /owners and admins|admin|role|allowed/i
    )
    assert.match(await refused(["user", "erase", "nobody@example.org"]), /no user nobody@example\.org/)
    assert.deepInclude(await json<object>("user", "erase", pat.user_id), { user_id: pat.user_id, success: true })
    assert.notInclude((await run("user", "list")).out, "pat@example.org")
  })

  it("tells what was used, of all for who owns it and of a member's own, with what bounds it", async () => {
    const { key, key_id } = await json<{ key: string; key_id: string }>(
      ...["key", "create", "--email", "uma@example.org", "--name", "chats", "--acts-for", "any"]
    )
    const chat = ["chat", "count the drops", "--org-id", "rain", "--user-id", "uma", "--model", "local", "--json"]
    await inProcess(there({ CAIRN_API_KEY: key }), chat)
    const bounded = await service.call("POST", "/api/bounds", { key_id, chats_per_day: 7 })
    assert.strictEqual(bounded.status, 200, bounded.text)
    for (const query of [["--by", "key"], ["--since", "2020-01-01", "--until", "2020-01-31"], []]) {
      const flags = new Map(query.flatMap((word, at) => (at % 2 === 0 ? [[word.slice(2), query[at + 1]!]] : [])))
      const told = await service.call("GET", `/api/usage?${new URLSearchParams([...flags])}`)
      assert.deepStrictEqual(await json("usage", ...query), told.json, query.join(" "))
    }
    const all = (await run("usage", "--by", "key")).out
    assert.match(all, /^KEY +CHATS +TURNS +INPUT +OUTPUT +CACHE READ +CACHE WRITE +US\$\n/)
    assert.match(all, new RegExp(`\n${key_id} +1 +[1-9] `))
    assert.match(all, new RegExp(`\n${key_id} +chats_per_day +1 +7 +\\S+T00:00:00\\.000Z\n`))
    const mine = await inProcess(there({ CAIRN_API_KEY: key }), ["usage", "--by", "key", "--json"])
    assert.deepStrictEqual(
      JSON.parse(mine.out).usage.map(({ of, chats }: { of: string; chats: number }) => [of, chats]),
      [[key_id, 1]]
    )
    assert.match(await refused(["usage", "--since", "2026-13-01"]), /expected a day/)
    await json("key", "revoke", key_id)
  })

  it("tells of the key's organization, and gives it other names", async () => {
    const shown = await json<{ organization_id: string; name: string; slug: string }>("org", "show")
    assert.deepStrictEqual(shown, (await service.call("GET", "/api/organization")).json)
    assert.match((await run("org", "show")).out, new RegExp(`^Organization ${shown.name}.*\nSlug ${shown.slug}, `))
    assert.match(await refused(["org", "rename"]), /Nothing is to change/)
    const renamed = await json<object>("org", "rename", "--name", "The Sea", "--slug", "the-sea")
    assert.deepInclude(renamed, { name: "The Sea", slug: "the-sea" })
    await json("org", "rename", "--name", shown.name, "--slug", shown.slug)
    // the operator's own stays, and whoever wants it gone has to repeat its slug
    assert.match(await refused(["org", "delete", "--confirm", "another"]), /slug/)
  })

  it("makes, lists and revokes keys", async () => {
    const made = await json<Record<string, string>>("key", "create", "--email", "eve@example.org", "--name", "ci")
    assert.match(made["key"]!, /^cairn_live_/)
    const { keys } = await json<{ keys: ReadonlyArray<{ id: string; user_email: string }> }>("key", "list")
    assert.deepInclude(
      keys.map(({ id, user_email }) => [id, user_email]),
      [made["key_id"], "eve@example.org"]
    )
    assert.match((await run("key", "list")).out, /eve@example\.org/)
    assert.deepStrictEqual(await json("key", "revoke", made["key_id"]!), { success: true, key_id: made["key_id"] })
    assert.match(await refused(["key", "revoke", made["key_id"]!]), /key/)
    const revoked = there({ CAIRN_API_KEY: made["key"]! })
    assert.match(await refused(["search", "anything"], revoked), /CAIRN_API_KEY/)
    assert.notInclude(await refused(["search", "anything"], revoked), made["key"]!)
  })

  it("says what is missing: an address that answers, a key, or this machine's data", async () => {
    const nobody = there({ CAIRN_URL: `http://127.0.0.1:${nobodysPorts[0]}` })
    assert.match(await refused(["search", "anything"], nobody), /no answer.*CAIRN_URL/)
    assert.match(await refused(["search", "anything"], there({ CAIRN_URL: "nowhere" })), /CAIRN_URL is no address/)
    assert.match(await refused(["search", "anything"], there({ CAIRN_API_KEY: "" })), /CAIRN_API_KEY/)
    assert.match(await refused(["verify"]), /CAIRN_URL names a service/)
    assert.strictEqual((await run("verify", "--help")).code, 0)
    assert.match(await refused(["search", ""]), /task|empty/)
  })

  it("says that it waits, where a service asks for more than ten seconds", async () => {
    const busy = createServer((_, response) => response.writeHead(503, { "retry-after": "60" }).end("{}"))
    await once(busy.listen(0, "127.0.0.1"), "listening")
    const { port } = busy.address() as AddressInfo
    const { promise: told, resolve: tell } = Promise.withResolvers<string>()
    const write = (text: string) => {
      tell(text)
      return true
    }
    const env = { CAIRN_URL: `http://127.0.0.1:${port}`, CAIRN_API_KEY: ownerKey }
    const asked = Effect.runFork(
      Effect.gen(function* () {
        const ask = yield* asking()
        return yield* ask((cairn, options) => cairn.search({ task: "anything" }, options))
      }).pipe(Effect.provideService(Surroundings, { env, stdout: process.stdout, stderr: { write } }))
    )
    try {
      assert.strictEqual(
        await told,
        "cairn: POST /api/retrieve/search is sent again in 60000 ms; it was answered with 503.\n"
      )
    } finally {
      await Effect.runPromise(Fiber.interrupt(asked))
      busy.close()
    }
  })

  it("asks this machine's service with the owner's key of its data folder, and nobody else", async () => {
    const port = new URL(service.url).port
    const here = { CAIRN_URL: "", CAIRN_API_KEY: "", CAIRN_DATA_DIR: folder, PORT: port, HOST: "0.0.0.0" }
    assert.match(await refused(["search", "anything"], there(here)), /owner\.key/)
    writeFileSync(join(folder, "owner.key"), `${ownerKey}\n`)
    const { code, err } = await inProcess(there(here), ["search", "anything"])
    assert.deepStrictEqual([code, err], [0, ""])
    const elsewhere = there({ ...here, CAIRN_URL: service.url })
    assert.match(await refused(["search", "anything"], elsewhere), /set CAIRN_API_KEY/)
  })

  it("takes the key from a file", async () => {
    const path = join(folder, "key")
    writeFileSync(path, `${ownerKey}\n`)
    const { code, err } = await inProcess(there({ CAIRN_API_KEY: "", CAIRN_API_KEY_FILE: path }), ["search", "x"])
    assert.deepStrictEqual([code, err], [0, ""])
  })
})
