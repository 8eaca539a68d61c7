import { assert, describe, it } from "vitest"
import { newInstallation, ownerKey, removeInstallation, startService } from "../../../../test/service.ts"
import { cairnMcp, ran, startCairnMcp } from "./program.ts"
import { initialize, initialized, listing, result, standIn } from "./standIn.ts"

const call = (id: number, name = "search") => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: { task: "t" } }
})

describe("the command line", () => {
  const running = (...args: ReadonlyArray<string>) => ran(cairnMcp.command, [...cairnMcp.args, ...args])

  it("says what it is", async () => {
    const help = await running("--help")
    assert.deepStrictEqual([help.code, help.stderr], [0, ""])
    for (const word of ["CAIRN_API_KEY", "CAIRN_BASE_URL", "--header"]) assert.include(help.stdout, word)
    const version = await running("--version")
    assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
  })

  it("is refused when it can't be read, without what may be a secret", async () => {
    for (const args of [
      ["--verbose"],
      ["--header"],
      ["--header", "no colon"],
      ["--header=Authorization: Bearer s3cret"]
    ]) {
      const { code, stdout, stderr } = await running(...args)
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.match(stderr, /^cairn-mcp: .*\n\ncairn-mcp [\d.]+: /s)
      assert.notInclude(stderr, "s3cret")
    }
  })

  it("adds headers to every request", async () => {
    const server = await standIn((_, body) => ({ text: result(JSON.parse(body).id) }))
    const program = startCairnMcp(server.env, "--header", "X-Cairn-Workspace-Id: customer-1", "--header=x-one:a=b: c")
    program.write(listing)
    await program.next()
    await program.end()
    const [{ headers }] = server.seen as [(typeof server.seen)[0]]
    assert.deepInclude(headers, { "x-cairn-workspace-id": "customer-1", "x-one": "a=b: c", authorization: "Bearer k" })
    await server.close()
  })
})

describe("lines", () => {
  it("may end as on Windows, be blank, or have several messages", async () => {
    const server = await standIn((_, body) => {
      const { id } = JSON.parse(body)
      return id === undefined ? { status: 202, text: "" } : { text: result(id) }
    })
    const program = startCairnMcp(server.env)
    program.write(`${JSON.stringify(listing)}\r`)
    assert.strictEqual((await program.next()).id, 1)
    program.write("\r")
    program.write([call(2), { ...initialized }, call(3)])
    assert.sameMembers([(await program.next()).id, (await program.next()).id], [2, 3])
    program.write([])
    assert.strictEqual((await program.next()).error.code, -32600)
    const { lines, stderr } = await program.end()
    assert.deepStrictEqual([lines, stderr], [[], ""])
    await server.close()
  })

  it("of more than the service takes are answered, and those behind them", async () => {
    const service = await startService()
    try {
      const program = startCairnMcp({ CAIRN_API_KEY: ownerKey, CAIRN_BASE_URL: service.url })
      for (const message of [initialize, initialized]) program.write(message)
      await program.next()
      const content = "x".repeat(40 * 1024 * 1024)
      program.write({
        ...call(5),
        params: { name: "upload", arguments: { task: "t", file: { path: "a.txt", content } } }
      })
      const { id, error } = await program.next()
      assert.strictEqual(id, 5)
      assert.match(error.message, /larger than 8 MiB/)
      program.write(listing)
      assert.strictEqual((await program.next()).result.tools.length, 5)
      assert.strictEqual((await program.end()).code, 0)
    } finally {
      await service.close()
    }
  })
})

describe("the end", () => {
  it("of its input lets the calls under way end, and ends the session", async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const server = await standIn(async (_, body) => {
      const { id, method } = JSON.parse(body)
      if (method === "tools/call") await gate
      return { text: result(id), ...(method === "initialize" ? { session: "s1" } : {}) }
    })
    const program = startCairnMcp(server.env)
    program.write(initialize)
    await program.next()
    program.write(call(9))
    const ended = program.end()
    open()
    const { code, lines } = await ended
    assert.deepStrictEqual([code, lines.map((line) => JSON.parse(line).id)], [0, [9]])
    const last = server.seen.at(-1)!
    assert.deepStrictEqual([last.method, last.headers["mcp-session-id"]], ["DELETE", "s1"])
    await server.close()
  })

  it("of who reads it, or a signal, ends it", async () => {
    const server = await standIn((_, body) => ({ text: result(JSON.parse(body).id, "x".repeat(1_000_000)) }))
    const unread = startCairnMcp(server.env)
    unread.write(call(1))
    await unread.next()
    unread.hangUp()
    for (let id = 2; id < 5; id++) unread.write(call(id))
    assert.strictEqual(await unread.exited, 0)
    const stopped = startCairnMcp(server.env)
    stopped.write(call(1))
    await stopped.next()
    stopped.stop()
    assert.strictEqual(await stopped.exited, "SIGTERM")
    await server.close()
  })
})

describe("a service that", () => {
  it("starts anew is waited for, and its sessions are begun anew", async () => {
    const installation = await newInstallation()
    const first = await startService({}, installation)
    const { port } = new URL(first.url)
    const program = startCairnMcp({ CAIRN_API_KEY: ownerKey, CAIRN_BASE_URL: first.url })
    program.write(initialize)
    await program.next()
    await first.stop()
    for (const id of [11, 12, 13]) program.write(call(id))
    const second = await startService({ PORT: port }, installation)
    const answers = [await program.next(), await program.next(), await program.next()]
    assert.sameMembers(
      answers.map(({ id }) => id),
      [11, 12, 13]
    )
    for (const { result } of answers) assert.isUndefined(result.isError)
    assert.deepStrictEqual(await program.end(), { code: 0, lines: [], stderr: "" })
    await second.close()
    removeInstallation(installation)
  })

  it("has ended a session is greeted once, whoever finds it out", async () => {
    let begun = 0
    let arrived = () => {}
    const both = new Promise<void>((resolve) => {
      arrived = resolve
    })
    let waiting = 0
    const server = await standIn(async (headers, body) => {
      const { id, method } = JSON.parse(body)
      if (method === "initialize") return { session: `s${++begun}`, text: result(id) }
      if (method === "notifications/initialized") return { status: 202, text: "" }
      if (headers["mcp-session-id"] !== "s1") return { text: result(id, headers["mcp-session-id"]) }
      if (++waiting === 2) arrived()
      await both
      return { status: 404, text: '{"message":"No such session.","code":"not_found/session"}' }
    })
    const program = startCairnMcp(server.env)
    program.write(initialize)
    await program.next()
    program.write(call(1))
    program.write(call(2))
    const answers = [await program.next(), await program.next()]
    assert.deepStrictEqual(answers.map(({ id, result }) => `${id} ${result}`).sort(), ["1 s2", "2 s2"])
    assert.strictEqual(begun, 2)
    await program.end()
    await server.close()
  })

  it("does not know the key any more is quoted", async () => {
    let begun = 0
    const server = await standIn((_, body) => {
      const { id, method } = JSON.parse(body)
      if (method === "initialize" && ++begun === 1) return { session: "s1", text: result(id) }
      if (method === "initialize") return { status: 401, text: '{"message":"The key was revoked."}' }
      return { status: 404, text: "{}" }
    })
    const program = startCairnMcp(server.env)
    program.write(initialize)
    await program.next()
    program.write(listing)
    const { id, error } = await program.next()
    assert.deepStrictEqual([id, error.message], [1, "The key was revoked. cairn-mcp takes the key from CAIRN_API_KEY."])
    await program.end()
    await server.close()
  })

  it("goes away within an answer is asked again; what it then says is said once", async () => {
    let tries = 0
    const server = await standIn((_, body) => {
      const { id } = JSON.parse(body)
      const type = "text/event-stream"
      if (++tries === 1) return { type, text: ": under way\n\n", cut: true }
      if (tries === 2) return { type, text: ": under way\r\n\r\n" }
      return { type, text: `data: ${result(id)}\r\n\r\n: more`, cut: true }
    })
    const program = startCairnMcp(server.env)
    program.write(call(4, "chat"))
    assert.strictEqual((await program.next()).id, 4)
    assert.deepStrictEqual(await program.end(), { code: 0, lines: [], stderr: "" })
    assert.strictEqual(tries, 3)
    await server.close()
  })

  it("sends on to another is not followed there with the key", async () => {
    const other = await standIn((_, body) => ({ text: result(JSON.parse(body).id) }))
    const server = await standIn(() => ({ status: 307, location: `${other.env.CAIRN_BASE_URL}mcp`, text: "" }))
    const program = startCairnMcp(server.env)
    program.write(listing)
    assert.match((await program.next()).error.message, /answered 307, and not as Cairn does\. Check CAIRN_BASE_URL/)
    await program.end()
    assert.deepStrictEqual(other.seen, [])
    for (const { close } of [server, other]) await close()
  })

  it("is none of Cairn's is told from one that is wrongly named, and no password is shown", async () => {
    const other = await standIn(() => ({ text: "<html>" }))
    const foreign = startCairnMcp(other.env)
    foreign.write(listing)
    assert.match((await foreign.next()).error.message, /answered 200, and not as Cairn does/)
    await foreign.end()
    for (const [url, said] of [
      ["cairn.example", /CAIRN_BASE_URL is no URL/],
      [other.env.CAIRN_BASE_URL.replace("//", "//me:s3cret@"), /CAIRN_BASE_URL/]
    ] as const) {
      const program = startCairnMcp({ ...other.env, CAIRN_BASE_URL: url })
      program.write(listing)
      const { error } = await program.next()
      assert.match(error.message, said)
      const { stderr } = await program.end()
      assert.notInclude(stderr + error.message, "s3cret")
    }
    await other.close()
  })
})
