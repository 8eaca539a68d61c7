import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { findText, tool } from "#src/commandLine.ts"
import { projections } from "#src/readModels.ts"
import { backUpAndRestore } from "./demo/backup.ts"
import { cloneAndPush, goBack } from "./demo/history.ts"
import { cairn, configOf, onNamed, type Running, serve } from "./demo/programs.ts"
import { cancel, hear } from "./demo/runs.ts"
import { longTask, standIn } from "./demo/standIn.ts"
import { reputation, storeBundle } from "./demo/store.ts"
import { upToDate } from "./log.ts"

/**
 * A tour of the service: the real one, on a data folder of its own, asked over HTTP. Fails at the first surprise. With
 * `--engines`, on the database and the index that DATABASE_URL and ELASTICSEARCH_URL name, which must be empty.
 */

interface Match {
  readonly code_block: { readonly id: string; readonly name: string; readonly description: string }
  readonly score: number
  readonly thumbs_up: number
  readonly thumbs_down: number
  readonly language: string
}
interface Chat {
  readonly success: boolean
  readonly output: string
  readonly error: string
  readonly changed_files: ReadonlyArray<string>
  readonly workspace_files: ReadonlyArray<string>
  readonly workspace_id: string
  readonly commit: string
}
interface Commit {
  readonly sha: string
  readonly message: string
  readonly changes: ReadonlyArray<{ readonly path: string; readonly status: string }>
}

const say = (line = "") => process.stdout.write(`${line}\n`)
let steps = 0
const step = (title: string) => say(`\n${++steps}. ${title}`)
const indented = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => `     ${line}`)
    .join("\n")

const search = async (service: Running, task: string) => {
  const { matches } = await service.ask<{ matches: ReadonlyArray<Match> }>("POST", "/api/retrieve/search", {
    task,
    top_k: 3
  })
  say(`   search "${task}"`)
  for (const { score, code_block, language, thumbs_up, thumbs_down } of matches) {
    say(`     ${score.toFixed(2)}  ${code_block.name} (${language})  +${thumbs_up} −${thumbs_down}`)
  }
  assert.ok(matches.length > 0, `nothing was found for "${task}"`)
  return matches
}

const vote = (service: Running, task: string, { code_block: { id } }: Match, succeeded: boolean) =>
  service.ask("POST", "/api/store/cache-usage", { task, code_block_id: id, succeeded })

const chat = async (service: Running, task: string) => {
  const answer = await service.ask<Chat>("POST", "/api/agent-chat", {
    user_query: task,
    user_id: "grace",
    org_id: "acme",
    model: "local"
  })
  say(`   chat "${task}"`)
  say(indented(answer.output || answer.error))
  say(`   changed: ${answer.changed_files.join(", ")}   workspace: ${answer.workspace_files.join(", ")}`)
  assert.ok(answer.success, `the chat failed: ${answer.error}`)
  assert.equal(answer.changed_files.length, 1)
  return answer
}

const run = async (dataDir: string, ...args: ReadonlyArray<string>) => {
  const { code, out, err } = await cairn(dataDir, ...args)
  say(`   $ cairn ${args.join(" ")}`)
  say(indented(out || err))
  assert.equal(code, 0, `cairn ${args[0]} failed: ${err}`)
  return out
}

/** In how many rows of which tables of the running service's database a text is. */
const tablesWith = (dataDir: string, text: string) =>
  Effect.runPromise(Effect.provide(Effect.andThen(upToDate(...projections), findText(text)), tool(configOf(dataDir))))

const tour = async (dataDir: string, grader: string, keep: (service: Running) => Running) => {
  step("Start the service on an empty data folder")
  const environment = { ANTHROPIC_API_KEY: "stand-in", ANTHROPIC_BASE_URL: grader }
  let service = keep(await serve(dataDir, environment))
  say(`   ${service.url}`)

  step("Import 24 snippets")
  await run(dataDir, "import", "demo/snippets.jsonl")

  step("Find code by describing a task")
  const [csv] = await search(service, "parse a CSV file into dictionaries")
  assert.equal(csv!.code_block.name, "read_csv_rows")

  step("Votes move a snippet up and down")
  const task = "make a URL slug from a title"
  const [first, second] = await search(service, task)
  say(`   two find ${second!.code_block.name} useful, two don't find ${first!.code_block.name} so`)
  for (let voter = 0; voter < 2; voter++) {
    await vote(service, `${task} (${voter})`, second!, true)
    await vote(service, `${task} (${voter})`, first!, false)
  }
  const voted = await search(service, task)
  assert.equal(voted[0]!.code_block.id, second!.code_block.id, "the votes did not change the order")

  step("Upload three files at once; a grader (here a stand-in for a language model) votes in the background")
  await storeBundle(service, say)

  step("Functions keep a reputation: what their runs showed stands above them")
  await reputation(service, say)

  step("Give an agent two tasks in one workspace (model `local`: no language model, only what was found)")
  const one = await chat(service, "count the most frequent words in a text file")
  const two = await chat(service, "list the largest files in a directory")
  assert.equal(two.workspace_id, one.workspace_id)
  assert.deepEqual([...two.workspace_files].sort(), [...one.changed_files, ...two.changed_files].sort())

  step("Each chat is a commit")
  const path = `/api/workspaces/${one.workspace_id}/commits`
  const { commits } = await service.ask<{ commits: ReadonlyArray<Commit> }>("GET", path)
  assert.deepEqual(
    commits.map(({ sha }) => sha),
    [two.commit, one.commit]
  )
  for (const { sha, message, changes } of commits) {
    say(
      `   ${sha.slice(0, 12)}  ${message.split("\n")[0]}  (${changes.map(({ status, path }) => `${status} ${path}`).join(", ")})`
    )
  }
  const { diff } = await service.ask<{ diff: string }>("GET", `${path}/${two.commit}`)
  say(indented(diff.split("\n").slice(0, 8).join("\n")))

  step("Go back to the first one, clone the whole history, and push a commit to it")
  await goBack(service, one.workspace_id, one.commit, say)
  await cloneAndPush(service, one.workspace_id, dataDir, say)

  step("Hear a chat while it is at work, and cancel another one")
  await hear(service, say)
  await cancel(service, longTask, say)

  step("Everything that is read can be rebuilt from the events: compare, row by row, while the service runs")
  await run(dataDir, "replay", "--verify")

  step("Stop the service, start it again: nothing is lost")
  await service.stop()
  service = keep(await serve(dataDir, environment))
  const after = await search(service, task)
  assert.deepEqual(
    after.map(({ code_block, thumbs_up, thumbs_down }) => [code_block.id, thumbs_up, thumbs_down]),
    voted.map(({ code_block, thumbs_up, thumbs_down }) => [code_block.id, thumbs_up, thumbs_down])
  )
  const tree = `/api/workspaces/${one.workspace_id}/tree`
  const filesOf = async (asked: Running) => {
    const { files } = await asked.ask<{ files: ReadonlyArray<{ path: string; sha: string }> }>("GET", tree)
    return files
  }
  const files = await filesOf(service)
  assert.deepEqual(
    files.map(({ path }) => path).filter((path) => path !== "NOTES.md"),
    [...one.workspace_files]
  )
  say(`   workspace: ${files.map(({ path }) => path).join(", ")}`)

  step("Delete a snippet: its text is gone, from the log too")
  const [doomed] = await search(service, "validate a bank account number")
  assert.equal(doomed!.code_block.name, "validate_iban")
  const texts = ["validate_iban", doomed!.code_block.description, "rearranged = compact[4:] + compact[:4]"]
  for (const text of texts) {
    const before = await tablesWith(dataDir, text)
    assert.ok(before.length > 0, `"${text}" should have been somewhere`)
    say(`   "${text}": in ${before.map(({ table, rows }) => `${table} (${rows})`).join(", ")}`)
  }
  await service.ask("POST", "/api/snippets/delete", { snippet_id: doomed!.code_block.id })
  say("   deleted")
  for (const text of texts) assert.deepEqual(await tablesWith(dataDir, text), [], `"${text}" is still there`)
  say("   none of it is in any column of any table")
  const { matches } = await service.ask<{ matches: ReadonlyArray<Match> }>("POST", "/api/retrieve/search", {
    task: "validate a bank account number"
  })
  assert.ok(matches.every(({ code_block }) => code_block.id !== doomed!.code_block.id))

  if (!onNamed) {
    step("Back it up while it runs, and restore that into an empty folder")
    const folder = mkdtempSync(join(tmpdir(), "cairn-demo-backup-"))
    await backUpAndRestore(service, dataDir, folder, filesOf, say).finally(() => rmSync(folder, { recursive: true }))
  }

  step("And the read models still are what the log says")
  await run(dataDir, "replay", "--verify")
}

const main = async (): Promise<number> => {
  const dataDir = mkdtempSync(join(tmpdir(), "cairn-demo-"))
  const grader = await standIn()
  let running: Running | undefined
  const cleanUp = async () => {
    await running?.stop()
    grader.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  // the services watch this process, and stop when it is gone
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void cleanUp().finally(() => process.exit(130)))
  }
  try {
    await tour(dataDir, grader.url, (service) => (running = service))
    say("\nAll of it as expected.")
    return 0
  } catch (error) {
    process.stderr.write(`\ndemo: step ${steps} failed: ${(error as Error).message}\n`)
    return 1
  } finally {
    await cleanUp()
  }
}

process.exitCode = await main()
