import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { schemaOf } from "#engine/Projection.ts"
import { commitOf } from "#projections/Workspaces/commits.ts"
import { Workspaces } from "#projections/Workspaces/tables.ts"
import { commitsOfFile } from "#src/workspaces/ofFile.ts"
import { hurried } from "#test/hurried.ts"
import { calls, says } from "#test/MessagesApi.ts"
import { ended, scripts, service, startsAgent } from "./agent.ts"
import { refused } from "./problem.ts"
import { fine } from "./routes.ts"

startsAgent()

interface Page {
  readonly commits: ReadonlyArray<{ readonly sha: string; readonly message: string }>
  readonly next_before: string | null
}

const opened = async (user: string): Promise<string> =>
  fine(await service.call("POST", "/api/workspaces", { org_id: "acme", user_id: user })).workspace_id
const put = async (id: string, path: string, content: string): Promise<string> =>
  fine(await service.call("PUT", `/api/workspaces/${id}/files/${path}`, content)).commit
const asked = (id: string, query: string) => service.call("GET", `/api/workspaces/${id}/commits?${query}`)
const commits = async (id: string, query: string): Promise<Page> => fine(await asked(id, query))
const shas = async (id: string, query: string) => (await commits(id, query)).commits.map(({ sha }) => sha)

/** How many commits of a file each page has, for a clock that is so many milliseconds later at each look. */
const lookedFor = async (id: string, path: string, later: number): Promise<ReadonlyArray<number>> => {
  const page = (from: string | null) =>
    service.run(
      Effect.gen(function* () {
        const before = from === null ? null : (yield* commitOf(id, from))!.revision
        return yield* hurried(commitsOfFile({ workspace: id, repository: id }, path, { limit: 1, before }), later)
      })
    )
  const pages: Array<number> = []
  for (let from: string | null = null; ; ) {
    const { changed, next } = await page(from)
    pages.push(changed.length)
    if (next === null) return pages
    from = next
  }
}

describe("the commits of a file", () => {
  it("are those that created, changed or deleted it, from any commit on", async () => {
    const id = await opened("of a file")
    const created = await put(id, "lib/a.py", "a = 1\n")
    const other = await put(id, "lib/b.py", "b = 1\n")
    const changed = await put(id, "lib/a.py", "a = 2\n")
    const removed: string = fine(await service.call("DELETE", `/api/workspaces/${id}/files/lib/a.py`)).commit
    // the same content again is the file's all the same
    const again = await put(id, "lib/a.py", "a = 2\n")
    await put(id, "c.py", "c = 1\n")
    const all = [again, removed, changed, created]
    assert.deepStrictEqual(await commits(id, "path=lib/a.py").then(({ next_before }) => next_before), null)
    assert.deepStrictEqual(await shas(id, "path=lib/a.py"), all)
    assert.deepStrictEqual(await shas(id, `path=lib/a.py&at=${changed}`), all.slice(2))
    assert.deepStrictEqual(await shas(id, `path=lib/a.py&before=${changed}`), all.slice(3))
    assert.deepStrictEqual(await shas(id, `path=lib/a.py&at=${other}&limit=1`), [created])
    assert.deepStrictEqual(await shas(id, "path=lib/b.py"), [other])
    // a folder is no file, and of what was never there there are none
    for (const path of ["lib", "lib/", "nothing.py", "c.py/x", ""])
      assert.deepStrictEqual(await shas(id, `path=${path}`), [])
    const [told] = (await commits(id, "path=lib/b.py")).commits
    assert.deepStrictEqual(
      told,
      fine(await asked(id, "")).commits.find(({ sha }: { sha: string }) => sha === other)
    )
  })

  it("are those that changed whether it can be run, too", async () => {
    scripts.set("make it run", (turn) =>
      turn === 1 ? calls({ name: "Bash", input: { command: "chmod +x run.sh" } }) : says("Done.")
    )
    const id = await opened("of a program")
    const created = await put(id, "run.sh", "#!/bin/sh\n")
    const { commit } = await ended(service.call, "make it run", "of a program")
    assert.deepStrictEqual(await shas(id, "path=run.sh"), [commit, created])
  })

  it("come by pages, and a page looks through a thousand commits", async () => {
    const id = await opened("far back")
    const first = await put(id, "old.py", "old = 1\n")
    const last = await put(id, "new.py", "new = 1\n")
    // what is read has been folded by then
    assert.strictEqual((await shas(id, ""))[0], last)
    // commits that changed nothing, as if they had been made since: to make so many takes long
    await service.sql(
      `INSERT INTO "${schemaOf(Workspaces)}".commits (id, workspace, revision, sha, parent, tree, run, recorded_at)
       SELECT 'made ' || n, workspace, revision + n, lpad(to_hex(n), 40, '0'), sha, tree, NULL, recorded_at
       FROM "${schemaOf(Workspaces)}".commits, generate_series(1, 2100) n WHERE workspace = $1 AND sha = $2`,
      [id, last]
    )
    const found: Array<string> = []
    let before: string | null = ""
    while (before !== null) {
      const page: Page = await commits(id, `path=old.py${before && `&before=${before}`}`)
      found.push(...page.commits.map(({ sha }) => sha))
      before = page.next_before
    }
    assert.deepStrictEqual(found, [first])
    // the last one is in the third thousand; the clock stands still, as a busy machine may take longer
    assert.deepStrictEqual(await lookedFor(id, "old.py", 0), [0, 0, 1, 0])
    const one = await commits(id, `path=new.py&limit=1&before=${"1".padStart(40, "0")}`)
    assert.deepStrictEqual(
      one.commits.map(({ sha }) => sha),
      [last]
    )
    assert.deepStrictEqual(await commits(id, `path=new.py&before=${one.next_before}`), {
      commits: [],
      next_before: null
    })
  })

  it("are looked for no longer than two seconds, and come to the end all the same", async () => {
    const id = await opened("slow to read")
    const first = await put(id, "old.py", "old = 1\n")
    for (const n of [1, 2, 3, 4]) await put(id, "new.py", `new = ${n}\n`)
    assert.deepStrictEqual(await shas(id, "path=old.py"), [first])
    // in two seconds it is known of two; the last one opened the workspace
    assert.deepStrictEqual(await lookedFor(id, "old.py", 1_000), [0, 0, 1, 0])
  })

  it("say what can't be asked", async () => {
    const id = await opened("wrongly asked")
    const commit = await put(id, "a.py", "a = 1\n")
    const both = refused(await asked(id, `at=${commit}&before=${commit}`), 400, "validation/invalid_field")
    assert.strictEqual(both.field, "at")
    const none = refused(await asked(id, `path=a.py&at=${"0".repeat(40)}`), 404, "not_found/commit")
    assert.strictEqual(none.field, "at")
  })
})
