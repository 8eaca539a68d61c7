import { assert, describe, it } from "vitest"
import { filesRun } from "../../src/agent/commands.ts"

const run = (command: string, succeeded = true) =>
  filesRun(command, "/home/ada", succeeded).map(({ path, succeeded }) => [path, succeeded])

describe("the files that a command runs", () => {
  it.each([
    "python3 ./x.py",
    "python3 ./x.py 2>&1",
    "python3 ./x.py >out.txt 2>err.txt",
    "python3 ./x.py &>/dev/null",
    "python3 ./x.py < ./in.csv",
    "PYTHONPATH=. timeout 5 python3 ./x.py --name 'a > b'",
    "cd /home/ada && python3 ./x.py"
  ])("%s", (command) => {
    assert.deepStrictEqual(run(command), [["/home/ada/x.py", true]])
    if (!command.includes("&&")) assert.deepStrictEqual(run(command, false), [["/home/ada/x.py", false]])
  })

  it.each([
    "cat ./x.py",
    "python3 ./x.py | tee ./y.txt",
    "python3 ./x.py || true",
    "time",
    "-v 5s",
    "echo ./x.py > ./y.py"
  ])("none, as far as can be told: %s", (command) => assert.isEmpty(run(command)))
})
