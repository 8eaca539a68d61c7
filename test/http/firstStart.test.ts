import { once } from "node:events"
import { existsSync, readFileSync, statSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { send } from "#test/service/call.ts"
import { startOnTerminal, startProcess } from "#test/service/process.ts"
import { newInstallation, ownerKey, removeInstallation, type TestInstallation } from "#test/service.ts"

const address = /Cairn is at (http:\S+)/

/** A port that somebody else listens at. */
const takenPort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  return { server, port: (server.address() as AddressInfo).port }
}

describe("the first start", () => {
  let installation: TestInstallation
  beforeAll(async () => {
    installation = await newInstallation()
  })
  afterAll(() => removeInstallation(installation))

  const works = async (url: string, key: string) =>
    (await send(url, "POST", "/api/keys/org/list", undefined, { authorization: `Bearer ${key}` })).json

  it("puts the owner's key where only its user reads it, and says where; the next start makes none", async () => {
    const file = join(installation.dataDir, "owner.key")
    const service = startProcess(installation)
    const [, url] = await service.said(address)
    const [, path] = await service.said(/Owner's key: in (\S+)/)
    assert.strictEqual(path, file)
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    const key = readFileSync(file, "utf8").trim()
    assert.match(key, /^cairn_live_[0-9A-Za-z]{43}$/)
    assert.notInclude(service.output.text, key)
    const { keys } = await works(url!, key)
    assert.deepStrictEqual(
      keys.map((key: { user_email: string }) => key.user_email),
      ["owner@cairn.local"]
    )
    await service.stop()

    const written = statSync(file).mtimeMs
    const next = startProcess(installation)
    const [, again] = await next.said(address)
    assert.strictEqual((await works(again!, key)).keys.length, 1)
    assert.notInclude(next.output.text, "Owner's key")
    assert.strictEqual(statSync(file).mtimeMs, written)
    await next.stop()
  })

  it("takes the key of CAIRN_OWNER_KEY, and writes it nowhere", async () => {
    const own = await newInstallation()
    try {
      const service = startProcess(own, { CAIRN_OWNER_KEY: ownerKey })
      const [, url] = await service.said(address)
      assert.strictEqual((await works(url!, ownerKey)).keys.length, 1)
      assert.isFalse(existsSync(join(own.dataDir, "owner.key")))
      assert.notInclude(service.output.text, ownerKey)
      await service.stop("SIGINT")
    } finally {
      removeInstallation(own)
    }
  })

  it("prints a link that signs in on a terminal, which works once, and nowhere else", async () => {
    const onTerminal = startOnTerminal(installation)
    const [, link] = await onTerminal.said(/In a browser \(works once, within a minute\): (http:\S+)/)
    const { origin, pathname, search, hash } = new URL(link!)
    assert.deepStrictEqual([pathname, search], ["/overview", ""])
    assert.match(hash, /^#sign-in=[\w-]{43}$/)
    const code = hash.slice("#sign-in=".length)
    const exchange = () => send(origin, "POST", "/api/sign-in", { code }, {})
    const { status, json } = await exchange()
    assert.strictEqual(status, 200)
    assert.strictEqual((await works(origin, json.key)).keys.length, 2)
    assert.strictEqual((await exchange()).status, 403)
    await onTerminal.stop()
    assert.notInclude(onTerminal.output.text, json.key)
    // the line itself, and no other
    assert.lengthOf(onTerminal.output.text.split(code), 2)

    const piped = startProcess(installation)
    await piped.said(/Try it:/)
    assert.notInclude(piped.output.text, "sign-in")
    await piped.stop()
  })

  it("keeps the key of a first start whose port is taken, on a terminal too, for the next one", async () => {
    const own = await newInstallation()
    const { server, port } = await takenPort()
    try {
      const file = join(own.dataDir, "owner.key")
      const failed = startOnTerminal(own, { PORT: String(port) })
      assert.notStrictEqual(await failed.ended, 0)
      assert.include(failed.output.text, `can't listen at 127.0.0.1:${port}`)
      const key = readFileSync(file, "utf8").trim()
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const next = startOnTerminal(own)
      const [, url] = await next.said(address)
      assert.strictEqual((await works(url!, key)).keys.length, 1)
      await next.stop()
    } finally {
      server.close()
      removeInstallation(own)
    }
  })

  it("shows the key on a terminal, and where it is", async () => {
    const own = await newInstallation()
    try {
      const service = startOnTerminal(own)
      const [, key, path] = await service.said(/Owner's key: (cairn_live_\w{43}) \(also in (\S+)\)/)
      assert.strictEqual(path, join(own.dataDir, "owner.key"))
      assert.strictEqual(readFileSync(path!, "utf8"), `${key}\n`)
      await service.stop()
    } finally {
      removeInstallation(own)
    }
  })

  it("says in one line that its port is taken", async () => {
    const { server, port } = await takenPort()
    const service = startProcess(installation, { PORT: String(port) })
    assert.notStrictEqual(await service.ended, 0)
    const line = `cairn: can't listen at 127.0.0.1:${port} (EADDRINUSE). Set PORT to a free port`
    assert.include(service.output.text, line)
    assert.lengthOf(service.output.text.trim().split("\n"), 1)
    server.close()
  })

  it("refuses a wrong one in one line, without it", async () => {
    for (const key of ["secret-of-mine", `cairn_live_${"x".repeat(43)}`]) {
      const service = startProcess(installation, { CAIRN_OWNER_KEY: key })
      assert.notStrictEqual(await service.ended, 0)
      assert.match(service.output.text, /^cairn: CAIRN_OWNER_KEY is wrong: expected [^\n]+\n$/)
      assert.notInclude(service.output.text, key)
    }
  })
})
