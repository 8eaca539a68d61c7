import { assert, describe, it } from "vitest"
import { filesNamed, filesRun, onlyGit } from "../../src/agent/commands.ts"
import { endOf, type HookEvent } from "../../src/agent/events.ts"
import { cases } from "./cases.ts"

const { always, alwaysRuns, worked, never, names, ...git } = cases.commands
const run = (command: string, succeeded = true) =>
  filesRun(command, "/home/ada", succeeded).map(({ path, succeeded }) => [path, succeeded])

describe("the files that a command runs", () => {
  it.each(always)("are known however it ends: %s", (command) => {
    assert.deepStrictEqual(run(command), [[alwaysRuns, true]])
    assert.deepStrictEqual(run(command, false), [[alwaysRuns, false]])
  })
  it.each(worked)("are known when it worked: %s", (command, paths) => {
    assert.deepStrictEqual(
      run(command),
      paths.map((path) => [path, true])
    )
    assert.deepStrictEqual(run(command, false), [])
  })
  it.each(never)("are not known: %s", (command) => {
    assert.deepStrictEqual([run(command), run(command, false)], [[], []])
  })
})

it.each(names)("%s names files", (command, paths) => {
  assert.deepStrictEqual(filesNamed(command, "/home/ada"), paths)
})

it("a command may only fetch what others wrote", () => {
  for (const command of git.onlyGit) assert.isTrue(onlyGit(command), command)
  for (const command of git.notOnlyGit) assert.isFalse(onlyGit(command), command)
})

it.each(cases.ends)("a command that succeeded (%s) with %j ended: %s", (succeeded, event, end) => {
  assert.strictEqual(endOf(event as HookEvent, succeeded), end)
})
