import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { Api } from "#src/api/Api.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"

const skill = readFileSync(new URL("../../skill.md", import.meta.url), "utf8")

/** Every shell example, with the heading that it stands under. */
const examples = skill.split(/^## /m).flatMap((section) => {
  const heading = section.slice(0, section.indexOf("\n"))
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, script], index) => ({
    name: index === 0 ? heading : `${heading} (${index + 1})`,
    script: script!
  }))
})

/** What says how to use the others. */
const documents = new Set(["/skill.md"])

/** What an agent would read off an answer for the examples that follow, by the names that these use. */
const read: { readonly [variable: string]: RegExp } = {
  SNIPPET_ID: /"code_block":\{"id":"([^"]+)"/,
  RUN_ID: /"run_id":"([^"]+)"/,
  WORKSPACE_ID: /"workspace_id":"([^"]+)"/,
  COMMIT: /"commit":"([0-9a-f]{40})"/,
  STATUS_URL: /"status_url":"([^"]+)"/,
  EXECUTION_ID: /"execution_id":"([^"]+)"/,
  FINGERPRINT: /"fingerprint":"(fn_[0-9a-f]+)"/,
  REPO_ID: /"repo_id":"([^"]+)"/
}

let service: Service
let folder: string
const variables: Record<string, string> = {}
beforeAll(async () => {
  service = await startService()
  folder = mkdtempSync(join(tmpdir(), "cairn-skill-"))
  Object.assign(variables, { CAIRN_BASE_URL: service.url, CAIRN_API_KEY: ownerKey })
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

const run = async (script: string) => {
  // an answer that is no 2xx is a failure; what is missing is one too; the time is for what hangs, as that of every
  // test
  const strict = `set -euo pipefail\ncurl() { command curl --fail-with-body --max-time 240 "$@"; }\n${script}`
  const shell = spawn("bash", ["-c", strict], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, GIT_TERMINAL_PROMPT: "0", ...variables },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const said = { out: "", err: "" }
  shell.stdout.setEncoding("utf8").on("data", (text: string) => void (said.out += text))
  shell.stderr.setEncoding("utf8").on("data", (text: string) => void (said.err += text))
  const [code] = await once(shell, "close")
  return { code, ...said }
}

describe("skill.md", () => {
  it.each(examples)("$name", async ({ script }) => {
    const { code, out, err } = await run(script)
    assert.strictEqual(code, 0, `${script}\n${out}\n${err}`)
    assert.notInclude(out, '"success":false')
    for (const [name, pattern] of Object.entries(read)) {
      const found = pattern.exec(out)?.[1]
      if (found !== undefined) variables[name] = found
    }
  })

  it("is what its address gives, to whoever asks", async () => {
    const { status, text, headers } = await service.call("GET", "/skill.md", undefined, { authorization: "" })
    assert.deepStrictEqual([status, text], [200, skill])
    assert.match(headers.get("content-type") ?? "", /^text\/markdown/)
  })

  it("names every operation that a key can call", () => {
    // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked as the JSON that it is
    const paths = (OpenApi.fromApi(Api) as any).paths as Record<string, object>
    const named = skill.replaceAll(/\$\{?[A-Z_]+\}?/g, "{}").replaceAll(/\{\w+\}/g, "{}")
    for (const path of Object.keys(paths)) {
      const plain = path.replace(/\/\*$/, "/{}").replaceAll(/\{\w+\}/g, "{}")
      if (documents.has(path)) continue
      assert.isTrue(named.includes(plain) || named.includes(plain.replace(/^\/api\//, "'")), path)
    }
  })
})
