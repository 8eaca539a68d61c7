import { execFileSync, spawn } from "node:child_process"
import { chmodSync, cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { calls, type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { Cairn } from "../../../clients/typescript/src/index.ts"
import { installedBy, type Project, run, shell, source, tsc } from "./project.ts"

const readme = readFileSync(join(source, "README.md"), "utf8")
const blocksOf = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, code]) => code!)
const blocks = blocksOf("ts")
const [install = "", addToClaude = ""] = blocksOf("sh")
const servers = blocksOf("json")
/**
 * That of a session, which needs the agent SDK: clients/typescript/test/agent/example.test.ts runs it where that is
 * installed.
 */
const isSession = (code: string) => code.includes("new CairnAgent(")
/** Most go on from the first one's client. */
const begun = (code: string) =>
  code.includes("new Cairn")
    ? code
    : `import { Cairn as Client } from "cairn-client"\nconst cairn = new Client()\n${code}`
const parts = blocks.map((block, index) => ({
  title: `${index + 1}, ${block.split("\n")[0]}`,
  file: `readme${index + 1}.ts`,
  code: `${begun(block)}export {}\n`
}))

const hasNpm = (() => {
  try {
    execFileSync("npm", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

let api: MessagesApi
let service: Service
let project: Project
const environment = () => ({ CAIRN_API_KEY: ownerKey, CAIRN_BASE_URL: service.url })
/** What stands for a reader's own: key, address, folder. */
const own = (text: string) =>
  text
    .replaceAll("cairn_live_…", ownerKey)
    .replaceAll("http://127.0.0.1:8080", service.url)
    .replaceAll("/home/me/project", project.folder)

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "readme", version: "1" } }
})

/** Who answers at an MCP server's address. */
const nameAt = async (url: string, headers: { readonly [name: string]: string }) => {
  const accept = { accept: "application/json, text/event-stream", "content-type": "application/json" }
  const response = await fetch(url, { method: "POST", headers: { ...accept, ...headers }, body: initialize })
  assert.strictEqual(response.status, 200)
  return /"serverInfo":\{"name":"(\w+)"/.exec(await response.text())?.[1]
}

describe.skipIf(!hasNpm)("the README", () => {
  beforeAll(async () => {
    project = await installedBy(install)
    api = await startMessagesApi(({ body }) =>
      body.messages.length === 1
        ? calls({ name: "Write", input: { file_path: "rename.py", content: "print('renamed')\n" } })
        : says("Done.")
    )
    service = await startService({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url })
    for (const { code, file } of parts) writeFileSync(join(project.folder, file), own(code))
    cpSync(join(source, "examples"), project.folder, { recursive: true })
  })
  afterAll(async () => {
    await service?.close()
    await api?.close()
    project?.remove()
  })

  it("is understood here: each block is found, and is run or shows a tree", () => {
    const languages = [...readme.matchAll(/^```(\w*)\n.*?^```$/gms)].map(([, language]) => language!)
    assert.deepStrictEqual(
      [...new Set(languages)].sort().map((language) => [language, languages.filter((one) => one === language).length]),
      [
        ["json", 2],
        ["sh", 2],
        ["text", 1],
        ["ts", blocks.length]
      ]
    )
    assert.strictEqual(blocks.filter(isSession).length, 1)
    assert.isAbove(blocks.length, 12)
  })

  it("installs the package, and the example runs", async () => {
    const { version } = JSON.parse(readFileSync(join(project.installed, "package.json"), "utf8"))
    assert.include(install, `cairn-client-${version}.tgz`)
    const strict = ["--module", "nodenext", "--target", "es2022", "--strict", "--types", "node", "--skipLibCheck"]
    await tsc(project.folder, ...strict, "--noEmit", "first-steps.ts")
    const { stdout } = await run(["first-steps.ts"], project.folder, environment())
    assert.match(
      stdout,
      /^Stored count_words\.\nFound count_words: \d+ %, 1 for it\.\nThe agent wrote count_words\.py\.\nCommit [0-9a-f]{7} keeps it\.\n$/
    )
  })

  it("type-checks", async () => {
    const strict = ["--module", "nodenext", "--target", "es2022", "--strict", "--types", "node", "--skipLibCheck"]
    await tsc(project.folder, ...strict, "--noEmit", ...parts.map(({ file }) => file))
  })

  describe("with a snippet that is found", () => {
    beforeAll(async () => {
      const cairn = new Cairn({ apiKey: ownerKey, baseUrl: service.url })
      const content = "import csv\n\n\ndef rows(path):\n    return list(csv.reader(open(path)))\n"
      await cairn.upload({
        task: "parse a CSV file into rows",
        fileWritten: { path: "rows.py", content },
        succeeded: true
      })
    })

    it.each(parts.filter(({ code }) => !isSession(code)))("runs as it stands: $title", async ({ file }) => {
      await run([file], project.folder, environment())
    })
  })

  // a stand-in of Claude Code's program keeps what it was told; what it was told is tried
  it("tells Claude Code where the service is", async () => {
    const program = join(project.folder, "claude")
    writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > claude.told\n`)
    chmodSync(program, 0o755)
    const path = `${project.folder}:${process.env["PATH"]}`
    await shell(own(addToClaude), project.folder, { ...environment(), PATH: path })
    const told = readFileSync(join(project.folder, "claude.told"), "utf8").trimEnd().split("\n")
    assert.deepStrictEqual(told.slice(0, 5), ["mcp", "add", "--transport", "http", "cairn"])
    const [, url = "", , header = ""] = told.slice(4)
    const [name = "", value = ""] = header.split(": ")
    assert.strictEqual(await nameAt(url, { [name]: value }), "cairn")
  })

  it("configures clients of MCP, by address and by program", async () => {
    const [byAddress, byProgram] = servers.map((text) => JSON.parse(own(text)).mcpServers.cairn)
    assert.strictEqual(byAddress.type, "http")
    assert.strictEqual(await nameAt(byAddress.url, byAddress.headers), "cairn")
    const { command, args = [], env } = byProgram
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "inherit"] })
    child.stdin.write(`${initialize}\n`)
    const line = await new Promise<string>((resolve, reject) => {
      createInterface(child.stdout).once("line", resolve)
      child.once("error", reject)
      child.once("exit", (code) => reject(new Error(`it ended with ${code}`)))
    })
    child.stdin.end()
    assert.strictEqual(JSON.parse(line).result.serverInfo.name, "cairn")
  })
})
