import { assert, it } from "vitest"
import { calls, says } from "#test/MessagesApi.ts"
import { api, asked, commitsOf, ended, scripts, service, startsAgent } from "./agent.ts"

startsAgent()

const cross = (path: string) => path.split("/").map(encodeURIComponent).join("/")
const writes = (files: { readonly [path: string]: string }) =>
  calls(...Object.entries(files).map(([file_path, content]) => ({ name: "Write", input: { file_path, content } })))

/** What the model was told of its calls: whether each was an error. */
const resultsOf = (prompt: string, turn: number) => {
  const { messages } = asked(prompt)[turn - 1]!.body
  const content = messages.at(-1)!.content as unknown as ReadonlyArray<{
    readonly is_error?: boolean
    readonly content: unknown
  }>
  return content.map(({ is_error, content }) => ({ failed: is_error === true, text: JSON.stringify(content) }))
}

it("names that lead out of a workspace, or that git would take for its own, are refused and told", async () => {
  const hostile = [
    ...["../outside.txt", "/etc/passwd", "a/../../x", ".git/config", ".git", "a/.GIT/hooks/pre-commit", "GIT~1/x"],
    ...["a\\b", "a\u0000b", ".g\u200cit/config", ".git./x", ".git::$INDEX_ALLOCATION/x", "x".repeat(256)],
    ...[`${"d/".repeat(130)}x`, "half \ud800"]
  ]
  const prompt = "write where you must not"
  scripts.set(prompt, (turn) =>
    turn === 1
      ? writes({ "fine.txt": "fine", ...Object.fromEntries(hostile.map((path) => [path, "evil"])) })
      : says("ok")
  )
  const { workspace_id: id, workspace_files, commit } = await ended(service.call, prompt, "hostile")
  const [fine, ...others] = resultsOf(prompt, 2)
  assert.isFalse(fine!.failed)
  for (const [index, { failed, text }] of others.entries()) {
    assert.isTrue(failed, JSON.stringify(hostile[index]))
    assert.isAbove(text.length, 20)
  }
  assert.strictEqual(others.length, hostile.length)
  assert.deepStrictEqual(workspace_files, ["fine.txt"])
  for (const path of [...hostile, "../../owner.key", "..", ".", "fine.txt/..", "fine.txt/", "//fine.txt"]) {
    if (!path.isWellFormed()) continue
    const files = `/api/workspaces/${id}/files`
    const asked = `${files}/${cross(path)}?at=${commit}`
    const answer = await service.call("GET", asked)
    // a URL is put in order before it is sent: some of them ask for a workspace, this one or none
    const codes = new URL(asked, "http://cairn").pathname.startsWith(files)
      ? ["not_found/file", "not_found/route", "method/not_allowed"]
      : [undefined, "not_found/workspace", "not_found/route"]
    assert.include(codes, answer.json?.code, path)
    assert.notInclude(answer.text, "fine.txt", path)
  }
  for (const at of ["HEAD", "main", "..", `${commit}^`, "%00", commit.slice(1)]) {
    const { status, json } = await service.call("GET", `/api/workspaces/${id}/tree?at=${encodeURIComponent(at)}`)
    assert.deepStrictEqual([status, json.code], [404, "not_found/commit"], at)
  }
})

it("names that are only odd are kept as they are: in lists, files, diffs and commits", async () => {
  const odd: { readonly [path: string]: string } = {
    " leading and trailing ": "1",
    "new\nline": "2",
    'quo"te\ttab': "3",
    "ü\u0308 e\u0301/🪨": "4",
    "\u202egpj.exe": "5",
    "-rf": "6",
    "%2e%2e%2f": "7",
    "a?b#c": "8",
    CON: "9",
    ".gitignore": "*\n",
    ".gitattributes": "* -text diff=evil filter=evil\n",
    "dir/.gitignore": "!x\n",
    "ignored.log": "10",
    [`${"n".repeat(255)}`]: "11",
    "\uff00": "12",
    constructor: "13",
    ["__proto__"]: "14"
  }
  const prompt = "write what is only odd"
  scripts.set(prompt, (turn) =>
    turn === 1
      ? calls(...Object.entries(odd).map(([file_path, content]) => ({ name: "Write", input: { file_path, content } })))
      : says("ok")
  )
  const { workspace_id: id, workspace_files, changed_files, commit } = await ended(service.call, prompt, "odd")
  const paths = Object.keys(odd)
  assert.sameMembers(workspace_files, paths)
  assert.sameMembers(changed_files, paths)
  const byBytes = [...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const { json: tree } = await service.call("GET", `/api/workspaces/${id}/tree?at=${commit}`)
  assert.deepStrictEqual(
    tree.files.map(({ path, size }: { readonly path: string; readonly size: number }) => [path, size]),
    byBytes.map((path) => [path, Buffer.byteLength(odd[path]!)])
  )
  for (const [path, content] of Object.entries(odd)) {
    const { status, text } = await service.call("GET", `/api/workspaces/${id}/files/${cross(path)}`)
    assert.deepStrictEqual([status, text], [200, content], path)
  }
  const { changes } = (await commitsOf(id))[0]!
  assert.deepStrictEqual(
    changes.map(({ path }) => path),
    byBytes
  )
  const { json: shown } = await service.call("GET", `/api/workspaces/${id}/commits/${commit}`)
  // a name can't forge a line of the diff: what could is quoted as git does
  const headlines = shown.diff.split("\n").filter((line: string) => line.startsWith("diff --git "))
  assert.strictEqual(headlines.length, paths.length)
  assert.include(shown.diff, 'diff --git "a/new\\nline" "b/new\\nline"')
  assert.include(shown.diff, "+* -text diff=evil filter=evil")
})

it("links are kept as links and never followed out; the executable bit stays", async () => {
  const prompt = "make links"
  const commands = [
    "echo run > run.sh && chmod +x run.sh",
    "ln -s run.sh good",
    "ln -s /etc/passwd absolute",
    "ln -s ../../../../etc/passwd upward",
    "ln -s . loop",
    "mkdir -p sub && ln -s ../run.sh sub/up"
  ]
  scripts.set(prompt, (turn) =>
    turn === 1
      ? calls(
          ...commands.map((command) => ({ name: "Bash", input: { command } })),
          ...["absolute", "upward"].map((file_path) => ({ name: "Read", input: { file_path } })),
          ...["absolute", "upward"].map((file_path) => ({ name: "Write", input: { file_path, content: "evil" } })),
          { name: "Read", input: { file_path: "sub/up" } }
        )
      : says("ok")
  )
  const { workspace_id: id } = await ended(service.call, prompt, "links")
  const results = resultsOf(prompt, 2)
  for (const { failed, text } of results.slice(commands.length, commands.length + 4)) {
    assert.isTrue(failed, text)
    assert.notInclude(text, "root:")
  }
  assert.include(results.at(-1)!.text, "run")
  const { json } = await service.call("GET", `/api/workspaces/${id}/tree`)
  const modes = Object.fromEntries(
    json.files.map(({ path, mode }: { readonly path: string; readonly mode: string }) => [path, mode])
  )
  assert.deepStrictEqual(modes, {
    absolute: "120000",
    good: "120000",
    loop: "120000",
    "run.sh": "100755",
    "sub/up": "120000",
    upward: "120000"
  })
  const read = async (path: string) => (await service.call("GET", `/api/workspaces/${id}/files/${path}`)).text
  assert.deepStrictEqual(
    [await read("absolute"), await read("upward"), await read("good"), await read("run.sh")],
    ["/etc/passwd", "../../../../etc/passwd", "run.sh", "run\n"]
  )
  assert.notInclude(api.requests.map(({ body }) => JSON.stringify(body)).join("\n"), "root:")
})
