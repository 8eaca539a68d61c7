import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, it } from "vitest"
import { isLong } from "../../../../../test/long.ts"
import { calls, says } from "../../../../../test/MessagesApi.ts"
import { messagesOf, shown } from "../standIn.ts"
import { offeredPath, resultOf, search, source, startProgram, task, useWorld, withSdk } from "./world.ts"

withSdk("a session with the agent SDK in which something fails", () => {
  const { service, folder, modelOf, noting, optionsOf, agentOf, store } = useWorld()
  /** What the service recorded behind a position. */
  const recorded = async (head: number) =>
    (await service().sql<{ type: string }>(`SELECT type FROM events WHERE position > ${head}`)).map(({ type }) => type)

  for (const [what, last, more] of [
    ["the model, with 401", { status: 401 }, {}],
    ["the model, with 500", { status: 500 }, {}],
    ["that it runs out of turns", says("never said"), { maxTurns: 2 }]
  ] as const) {
    it.skipIf(what.includes("401") && !isLong)(`leaves no vote and no upload: ${what}`, async () => {
      const cwd = folder()
      const model = await modelOf((request) => [
        calls({ name: "Read", input: { file_path: offeredPath(request) } }),
        calls({ name: "Write", input: { file_path: join(cwd, "failed.py"), content: source } }),
        last
      ])
      await store()
      const { client, sent } = noting()
      const head = await service().head()
      const { agent, reports } = agentOf(model, cwd, client, more)
      assert.isTrue(resultOf(await messagesOf(agent.query(task))).is_error)
      assert.isTrue(existsSync(join(cwd, "failed.py")))
      assert.deepStrictEqual(sent, [search])
      assert.deepStrictEqual(reports, [])
      // searches are recorded once they are answered: that of the test before may come late
      assert.deepStrictEqual(
        (await recorded(head)).filter((type) => type !== "SearchAnswered"),
        []
      )
    })
  }

  it("writes nothing outside of its cache folder, whatever snippets are called", async () => {
    const client = noting().client
    const fileWritten = { path: "../../evil.py", content: source }
    await client.upload({ task: "say evil things", fileWritten, succeeded: true })
    const cwd = folder()
    const cacheDir = join(cwd, "deep", "cache")
    mkdirSync(join(cwd, "deep"))
    const hostile = noting({
      fetch: async (url, init) => {
        const answer = await globalThis.fetch(url, init)
        if (!url.endsWith("/search")) return answer
        const body = (await answer.json()) as { matches: Array<{ filename: string }> }
        const [match] = body.matches
        const names = ["../evil.py", "/tmp/evil.py", "..", "a/../../evil.py", "CLAUDE.md", "fine.py", "FINE.py"]
        body.matches = names.map((filename) => ({ ...match!, filename }))
        return Response.json(body, { headers: answer.headers })
      }
    }).client
    const model = await modelOf(() => [says("Nothing to do.")])
    const warnings: Array<string> = []
    const quiet = { debug: () => {}, info: () => {}, error: () => {} }
    const logger = { ...quiet, warn: (line: string) => void warnings.push(line) }
    const { agent, reports } = agentOf(model, cwd, hostile.withOptions({ logger }), { cacheDir, logger })
    await messagesOf(agent.query(task))
    assert.deepStrictEqual(
      reports[0]!.offered.map(({ filename }) => filename),
      ["fine.py"]
    )
    assert.deepStrictEqual(readdirSync(cwd, { recursive: true, encoding: "utf8" }).sort(), [
      "deep",
      "deep/cache",
      "deep/cache/fine.py"
    ])
    assert.notInclude(shown(model.requests[0]!), "evil.py")
    assert.strictEqual(warnings.length, 6)
    assert.deepStrictEqual(reports[0]!.uploaded, [], "the cache folder is no work of the session")
  })

  for (const what of ["is dead", "never answers", "answers 500"]) {
    // ../service.test.ts has what the hooks make of the others
    it.skipIf(what !== "never answers" && !isLong)(
      `goes on where the service ${what}, prints nothing to standard output, and warns once`,
      async () => {
        const cwd = folder()
        const model = await modelOf(() => [
          calls({ name: "Write", input: { file_path: join(cwd, "a.py"), content: source } }),
          calls({ name: "Write", input: { file_path: join(cwd, "b.py"), content: `${source}# b\n` } })
        ])
        const server = createServer((_, response) => {
          if (what === "answers 500") response.writeHead(500).end("{}")
        })
        if (what !== "is dead") await once(server.listen(0, "127.0.0.1"), "listening")
        const baseUrl = server.listening
          ? `http://127.0.0.1:${(server.address() as AddressInfo).port}`
          : "http://127.0.0.1:1"
        const { child, heard } = startProgram("program.ts", {
          TEST_OPTIONS: JSON.stringify({ ...optionsOf(model, cwd), apiKey: "cairn_live_0123456789", baseUrl })
        })
        const [code] = await once(child, "close")
        server.closeAllConnections()
        server.close()
        assert.strictEqual(code, 0, heard.stderr)
        assert.strictEqual(heard.stdout, "")
        assert.strictEqual(heard.stderr.match(/the session goes on without/g)?.length, 1, heard.stderr)
        assert.strictEqual(readFileSync(join(cwd, "a.py"), "utf8"), source)
      }
    )
  }
})
