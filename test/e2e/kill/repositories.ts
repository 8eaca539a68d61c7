import { join } from "node:path"
import { assert } from "@effect/vitest"
import { fsck, git } from "#test/infra/git/git.ts"
import { noteOf } from "./agent.ts"
import { get } from "./calls.ts"
import type { Chat } from "./Ledger.ts"
import type { Sql } from "./log.ts"
import { until } from "./process.ts"

interface Commits {
  readonly workspace: string
  /** As the log decided on them, oldest first. */
  readonly commits: ReadonlyArray<string>
}

const commitsOf = (sql: Sql) =>
  sql<Commits>(`SELECT substr(stream, 11) AS workspace, array_agg(data::json->>'commit' ORDER BY revision) AS commits
    FROM events WHERE type IN ('ChatCompleted', 'ChatFailed') GROUP BY stream ORDER BY stream`)

/** Each repository is sound, and its main branch is one chain of exactly the commits that the log decided on. */
export const checkRepositories = async (sql: Sql, dataDir: string): Promise<void> => {
  for (const { workspace, commits } of await commitsOf(sql)) {
    const gitdir = join(dataDir, "workspaces", `${workspace}.git`)
    const main = () => git(gitdir, ["rev-parse", "refs/heads/main"]).trim()
    // a run that nobody waits for has ended in the log a moment before its ref follows
    await until(
      () => main() === commits.at(-1),
      () => `the ref of ${workspace} is at ${main()}, not ${commits.at(-1)}`
    )
    assert.strictEqual(fsck(gitdir), "")
    const parents = git(gitdir, ["rev-list", "--reverse", "--parents", "main"]).trim().split("\n")
    assert.deepStrictEqual(
      parents,
      commits.map((commit, index) => (index === 0 ? commit : `${commit} ${commits[index - 1]}`))
    )
  }
}

/** A workspace's commits as the API lists them, newest first. */
const listed = async (url: string, workspace: string): Promise<ReadonlyArray<string>> => {
  const shas: Array<string> = []
  for (;;) {
    const before = shas.length === 0 ? "" : `&before=${shas.at(-1)}`
    const { status, json, text } = await get(url, `/api/workspaces/${workspace}/commits?limit=200${before}`)
    assert.strictEqual(status, 200, text)
    const page: ReadonlyArray<string> = json.commits.map(({ sha }: { readonly sha: string }) => sha)
    if (page.length === 0) return shas
    shas.push(...page)
  }
}

/** What each chat left: its commit, its note, and its one line in the log that the runs of a workspace share. */
export const checkWorkspaces = async (sql: Sql, url: string, chats: ReadonlyArray<Chat>): Promise<void> => {
  const byWorkspace = Map.groupBy(chats, ({ answer }) => String(answer!.json.workspace_id))
  const decided = await commitsOf(sql)
  assert.sameMembers(
    [...byWorkspace.keys()],
    decided.map(({ workspace }) => workspace)
  )
  for (const { workspace, commits } of decided) {
    assert.deepStrictEqual(await listed(url, workspace), commits.toReversed())
    const its = byWorkspace.get(workspace)!
    assert.sameMembers(
      its.map(({ answer }) => answer!.json.commit),
      [...commits]
    )
    const tree = await get(url, `/api/workspaces/${workspace}/tree`)
    const paths = new Set(tree.json.files.map(({ path }: { readonly path: string }) => path))
    const done = its.filter(({ answer }) => answer!.json.success)
    for (const { word } of done) assert.isTrue(paths.has(noteOf(word)), `the note ${word} of a finished run is lost`)
    const log = await get(url, `/api/workspaces/${workspace}/files/log.txt`)
    const lines = log.status === 200 ? log.text.trim().split("\n") : []
    const logging = (chats: ReadonlyArray<Chat>) => chats.filter(({ task }) => task.shell).map(({ word }) => word)
    assert.strictEqual(new Set(lines).size, lines.length, "a run logged twice")
    assert.includeMembers(lines, logging(done))
    assert.includeMembers(logging(its), lines)
  }
}
