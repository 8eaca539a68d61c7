import { execFile } from "node:child_process"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, it } from "vitest"
import { ofThis } from "./process.ts"

interface Runtime {
  readonly path: string
  readonly args: ReadonlyArray<string>
  readonly env: object
}
interface Start {
  readonly sparing: (runtime: Runtime, megabytes: number) => Runtime
  readonly either: () => Runtime
}
const { sparing, either } = createRequire(import.meta.url)("../../start.cjs") as Start

const tagsOf = async ({ path, args, env }: Runtime): Promise<ReadonlyArray<number>> => {
  const program = fileURLToPath(new URL("./compiled.ts", import.meta.url))
  const { PATH, HOME } = process.env
  const { stdout } = await promisify(execFile)(path, [...args, program], { env: { PATH, HOME, ...env } })
  return JSON.parse(stdout)
}

// Node keeps compiled code of each in a folder of its own
it.skipIf(!("Deno" in globalThis))(
  "the service, the command line, what tests start and processes that are confined take the same compiled code, or each start would make it anew",
  async () => {
    const started = { ...either(), env: ofThis() }
    const tags = [await tagsOf(sparing(either(), 500)), await tagsOf(either()), await tagsOf(started)].flat()
    assert.lengthOf(tags, 6)
    assert.deepStrictEqual([...new Set(tags)], [tags[0]])
  }
)
