import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { isLong } from "../../../../test/long.ts"
import { ownerKey, type Service, startService } from "../../../../test/service.ts"
import { cairnMcp, ran } from "./program.ts"

/** A Python that has the package `mcp`: `MCP_PYTHON`, else the path's. */
const python = process.env["MCP_PYTHON"] || "python3"
const { code } = await ran(python, ["-c", "from mcp import Client"])
const program = fileURLToPath(new URL("client.py", import.meta.url))

describe.skipIf(code !== 0)("Python's mcp", () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  for (const over of ["http", "stdio"]) {
    for (const mode of ["legacy", "auto"]) {
      // the pipe hands on what the service says of versions
      it.skipIf(over === "stdio" && mode === "legacy" && !isLong)(`works over ${over}, ${mode}`, async () => {
        const name = `python_${over}_${mode}`
        const env = { CAIRN_API_KEY: ownerKey, CAIRN_BASE_URL: service.url }
        const server = [cairnMcp.command, ...cairnMcp.args]
        const { code, stdout, stderr } = await ran(python, [program, over, name, mode, ...server], env)
        assert.strictEqual(code, 0, stderr)
        const { tools, stored, found, wrong, skill } = JSON.parse(stdout)
        assert.deepStrictEqual(tools, ["chat", "patterns", "search", "upload", "vote"])
        assert.match(stored, /Stored 1 snippet/)
        assert.include(found, `def ${name}`)
        assert.isTrue(wrong)
        assert.match(skill, /^# Cairn, for agents/)
      })
    }
  }
})
