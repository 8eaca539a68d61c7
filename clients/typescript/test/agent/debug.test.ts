import { assert, it } from "vitest"
import { found, match, sessionWith, useFolders } from "./hooked.ts"

const folders = useFolders()

it("the debug flag tells of what was offered and delivered; without it only what goes wrong is told", async () => {
  const told = async (options: object) => {
    const lines: Array<readonly [string, unknown]> = []
    const at = (line: string, details?: unknown) => void lines.push([line, details])
    const logger = { debug: at, info: at, warn: at, error: at }
    const session = sessionWith(folders, [found(match("one", "add_numbers.py"))], { logger, ...options })
    await session.prompt()
    await session.writes("new.py", "print('new')\n")
    await session.happens("Stop")
    assert.deepStrictEqual(session.reports[0]?.uploaded, ["new.py"])
    return lines
  }
  assert.deepStrictEqual(await told({ debug: true }), [
    ["Session offered snippets", { count: 1 }],
    ["Session delivered", { uploaded: 1, left: [], votes: [] }]
  ])
  for (const options of [{}, { debug: false }]) assert.deepStrictEqual(await told(options), [])
})
