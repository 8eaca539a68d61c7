import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makeFolder, served } from "./cairn.ts"

interface Exported {
  readonly [field: string]: unknown
  readonly name: string
  readonly votes: { readonly human: Count; readonly ai: Count }
}
interface Count {
  readonly up: number
  readonly down: number
}
interface ListedEvents {
  readonly events: ReadonlyArray<{ readonly data: { readonly text: { readonly origin: string | null } } }>
}

/** What is the store's own: where a snippet lies, since when, and whether everyone finds it. */
const own = ["snippet_id", "created_at", "updated_at", "public"]
const carried = (snippets: ReadonlyArray<Exported>) =>
  snippets
    .map((snippet) => Object.fromEntries(Object.entries(snippet).filter(([field]) => !own.includes(field))))
    .sort((a, b) => (String(a["name"]) < String(b["name"]) ? -1 : 1))

describe("cairn export and import", () => {
  const folder = makeFolder({ ownPostgres: false })
  const { json, run, file } = folder
  let service: Awaited<ReturnType<typeof served>>

  const ask = async <A>(path: string, body: object, headers: Record<string, string> = {}): Promise<A> => {
    const { status, text, json } = await service.call("POST", path, body, headers)
    assert.strictEqual(status, 200, `${path}: ${text}`)
    return json
  }
  const exported = async (...args: ReadonlyArray<string>) =>
    (await json<{ snippets: ReadonlyArray<Exported> }>("export", ...args)).snippets

  beforeAll(async () => {
    service = await served(folder)
    await json("org", "create", "--name", "Elsewhere", "--tier", "PRO", "--owner-email", "o@elsewhere.test")

    const scoped = { "x-cairn-workspace-id": "client-1", "x-cairn-agent-id": "scout" }
    await ask(
      "/api/store/code-block",
      {
        name: "a_block",
        source: "def total(numbers):\n    return sum(numbers)\n",
        entrypoint: "total",
        language: "python",
        language_version: "3.12",
        description: "Adds numbers.",
        tags: ["sums"],
        capabilities: ["adding"],
        example_queries: ["add numbers"],
        dependencies: { numpy: "2.1" },
        input_schema: { type: "object", properties: { numbers: {} } },
        output_schema: { type: "number" }
      },
      scoped
    )
    const hello = { task: "say hello", file_written: { path: "b_hello.py", content: "print('hello')\n" } }
    const vote = (user_vote: 1 | -1, vote_source: "human" | "ai", vote_count: number) =>
      ask("/api/store/execution-result", {
        ...hello,
        succeeded: true,
        user_vote,
        vote_source,
        vote_count,
        content_type: "script",
        dependencies: { rich: "14" }
      })
    await vote(1, "human", 5)
    await vote(-1, "human", 2)
    await vote(1, "ai", 3)
    await vote(-1, "ai", 1)
    await ask("/api/store/repo", {
      task: "serve pages",
      name: "c_repo",
      tags: ["web"],
      dependencies: { hono: "4" },
      files: [
        { path: "README.md", content: "# Pages\n\nServes pages.\n" },
        { path: "src/index.ts", content: "export const serve = () => 1\n" }
      ]
    })
    const old = { id: 7, name: "d_old", source: "d = 4\n", language: "python", thumbs_up: 9, thumbs_down: 1 }
    assert.include(await json<object>("import", file("old.jsonl", [JSON.stringify(old)]), "--org", await home()), {
      stored: 1
    })
  })
  afterAll(async () => {
    await (service as typeof service | undefined)?.stop()
    folder.remove()
  })

  /** The organization of the service's first start. */
  const home = async () =>
    (
      await json<{ organizations: ReadonlyArray<{ organization_id: string; name: string }> }>("org", "list")
    ).organizations.find(({ name }) => name !== "Elsewhere")!.organization_id

  it("carries every field of every snippet, with its votes by who gave them, and a second import changes nothing", async () => {
    const org = await home()
    const before = await exported("--org", org)
    assert.lengthOf(before, 4)
    const [block, hello, repo, old] = carried(before)
    assert.include(block!, { workspace: "client-1", agent_id: "scout", language_version: "3.12", entrypoint: "total" })
    assert.deepStrictEqual(hello!["votes"], { human: { up: 5, down: 2 }, ai: { up: 3, down: 1 } })
    assert.include(hello!, { kind: "script", path: "b_hello.py" })
    assert.strictEqual(repo!["kind"], "repo")
    assert.lengthOf(repo!["files"] as ReadonlyArray<object>, 2)
    // a file from before brings no votes: it does not say whose they were
    assert.deepInclude(old!, { id: "7", votes: { human: { up: 0, down: 0 }, ai: { up: 0, down: 0 } } })

    const path = file("all.jsonl", (await run("export", "--org", org)).out.trimEnd().split("\n"))
    assert.include(await json<object>("import", path, "--org", "Elsewhere"), { stored: 4, failed: 0 })
    const after = await exported("--org", "Elsewhere")
    assert.deepStrictEqual(carried(after), carried(before))
    // each is in its own workspace again, and not in the organization's midst
    assert.lengthOf(await exported("--org", "Elsewhere", "--workspace", "client-1"), 1)
    const { events } = await json<ListedEvents>("events", "--org", "Elsewhere", "--type", "VoteCast")
    assert.deepStrictEqual(
      events.map(({ data }) => data.text.origin),
      ["import", "import", "import", "import"]
    )

    assert.include(await json<object>("import", path, "--org", "Elsewhere"), { stored: 0, merged: 0, unchanged: 4 })
    assert.deepStrictEqual(await exported("--org", "Elsewhere"), after)
  })

  it("brings votes to what is new, and none to what is there", async () => {
    const org = await home()
    const line = (up: number) =>
      JSON.stringify({ name: "e_new", source: "e = 5\n", language: "python", votes: { human: { up } } })
    const votes = async () => (await exported("--org", org)).find(({ name }) => name === "e_new")!.votes.human
    await json("import", file("one.jsonl", [line(4)]), "--org", org)
    assert.deepStrictEqual(await votes(), { up: 4, down: 0 })
    assert.include(await json<object>("import", file("more.jsonl", [line(6)]), "--org", org), { stored: 0, merged: 1 })
    assert.deepStrictEqual(await votes(), { up: 4, down: 0 })
  })

  it("carries an empty file, and no repository without files", async () => {
    const org = await home()
    const task = { task: "mark a package", succeeded: true, use_service_ai_voting: false }
    await ask("/api/store/execution-result", { ...task, file_written: { path: "g_empty.py", content: "" } })
    const lines = (await run("export", "--org", org)).out.split("\n").filter((line) => line.includes('"g_empty"'))
    assert.lengthOf(lines, 1)
    const none = JSON.stringify({ name: "h_repo", source: "", kind: "repo" })
    const imported = await json<object>("import", file("empty.jsonl", lines), "--org", "Elsewhere")
    assert.include(imported, { stored: 1, failed: 0 })
    const { out } = await run("import", file("none.jsonl", [none]), "--org", "Elsewhere", "--json")
    assert.match(JSON.parse(out).errors[0].reason, /^files is missing/)
  })

  it("makes one snippet of a repository's files, in whatever order they come", async () => {
    const org = await home()
    const files = ["a.py", "b.py", "c/d.py"].map((path) => ({ path, content: `# ${path} of the ordered\n` }))
    const line = (files: ReadonlyArray<object>) =>
      JSON.stringify({ name: "i_ordered", source: "# Ordered\n", kind: "repo", language: "markdown", files })
    const imported = (name: string, line: string) => json<object>("import", file(name, [line]), "--org", org)
    assert.include(await imported("ordered.jsonl", line(files)), { stored: 1, merged: 0 })
    assert.include(await imported("reversed.jsonl", line([...files].reverse())), { stored: 0, merged: 1 })
    assert.lengthOf(
      (await exported("--org", org)).filter(({ name }) => name === "i_ordered"),
      1
    )
  })

  it("says what is wrong with a line's votes, files and workspace", async () => {
    const wrong = [
      { source: "x", votes: { human: { up: -1 } } },
      { source: "x", votes: { ai: { down: 1.5 } } },
      { source: "x", files: [{ path: "../x", content: "" }] },
      { source: "x", input_schema: { a: "\0" } }
    ]
    const path = file(
      "wrong.jsonl",
      wrong.map((line) => JSON.stringify(line))
    )
    const { out } = await run("import", path, "--org", "Elsewhere", "--json")
    const reasons = (JSON.parse(out).errors as ReadonlyArray<{ reason: string }>).map(({ reason }) => reason)
    assert.lengthOf(reasons, 4, out)
    for (const [index, said] of [/^votes\.human\.up/, /^votes\.ai\.down/, /^files\.0\.path/, /^input_schema/].entries())
      assert.match(reasons[index]!, said)
    await json("org", "create", "--name", "Free", "--tier", "FREE", "--owner-email", "f@free.test")
    const placed = file("placed.jsonl", [JSON.stringify({ name: "f", source: "f = 6\n", workspace: "client-1" })])
    const refused = await run("import", placed, "--org", "Free", "--json")
    assert.match(refused.out, /tier FREE has none/)
    assert.include(await json<object>("import", placed, "--org", "Free", "--workspace", ""), { stored: 1 })
  })
})
