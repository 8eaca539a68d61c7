import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { run } from "../../../test/clients/typescript/project.ts"
import { ownerKey, type Service, startService } from "../../../test/service.ts"
import {
  getTelemetryJson,
  log,
  RaySurfer,
  raysurferLogging,
  resetTelemetry
} from "../../typescript/src/compat/index.ts"

const compat = fileURLToPath(new URL("../../typescript/src/compat/index.ts", import.meta.url))

describe("log", () => {
  let service: Service
  let folder: string
  beforeAll(async () => {
    service = await startService()
    folder = mkdtempSync(join(tmpdir(), "cairn-telemetry-"))
  })
  afterAll(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it("gives the functions of a program their reputation, once what it printed is uploaded", async () => {
    const content = [
      `import { log } from ${JSON.stringify(compat)}`,
      "export const wallabyRows = (text: string): Array<string> => {",
      '  const rows = text.split(",").filter((row) => row !== "")',
      "  log(rows)",
      "  return rows",
      "}",
      'wallabyRows("a,b,c")',
      'wallabyRows("")',
      'log("at the top")'
    ].join("\n")
    const path = join(folder, "wallaby.ts")
    writeFileSync(path, content)
    const { stdout } = await run([path], folder)
    const client = new RaySurfer({ apiKey: ownerKey, baseUrl: service.url })
    const task = "split wallaby rows"
    await client.upload({
      task,
      fileWritten: { path, content },
      succeeded: true,
      executionLogs: stdout,
      perFunctionReputation: true
    })
    const { matches } = await client.search({ task, perFunctionReputation: true })
    const rows = matches[0]!.functions!.find(({ functionName }) => functionName === "wallabyRows")!
    assert.deepInclude(rows, { totalLoggedCalls: 2, avgOutputSize: 1.5, outputCompleteness: 0.5 })
    assert.include(stdout, '"__module__":{"call_count":1')
  })

  it("counts by whoever calls it, until it is told to forget", () => {
    resetTelemetry()
    class Herd {
      graze(value: unknown) {
        log(value)
      }
    }
    for (const value of ["ab", [], { a: 1 }, null, 42, new Map()]) new Herd().graze(value)
    const older = () => raysurferLogging(undefined)
    older()
    assert.deepStrictEqual(JSON.parse(getTelemetryJson()).raysurfer_telemetry, {
      version: 1,
      functions: {
        graze: {
          call_count: 6,
          avg_value_size: 0.83,
          empty_rate: 0.5,
          value_types: { string: 1, array: 1, object: 2, null: 1, number: 1 }
        },
        older: { call_count: 1, avg_value_size: 0, empty_rate: 1, value_types: { undefined: 1 } }
      }
    })
    resetTelemetry()
    assert.strictEqual(getTelemetryJson(), '{"raysurfer_telemetry":{"version":1,"functions":{}}}')
  })
})
