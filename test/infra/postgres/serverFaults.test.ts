import { connect, createServer, type Socket } from "node:net"
import { Redacted } from "effect"
import { afterEach, assert, describe, it } from "vitest"
import { freePort } from "#test/freePort.ts"
import { isLong } from "#test/long.ts"
import { isHere, PostgresServer } from "#test/postgresServer.ts"
import { type Answer, newInstallation, removeInstallation, type Service, startService } from "#test/service.ts"
import { scrape } from "../../http/observed/scraped.ts"
import { matches, stored, upload } from "../../http/store.ts"

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** What could not be done is refused as something that passes, and nothing else is. */
const passes = ({ status, json, headers, text }: Answer) => {
  assert.strictEqual(status, 503, text)
  assert.match(json.code, /^unavailable\//)
  assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/)
}

/** Sends a request again and again until it goes through. */
const insist = async (send: () => Promise<Answer>): Promise<Answer> => {
  for (;;) {
    const answer = await send()
    if (answer.status === 200) return answer
    passes(answer)
    await pause(100)
  }
}

/** Some who write one after the other, each on until it is told, and what they were told is stored. */
const writing = (service: Service) => {
  const names: Array<string> = []
  let goesOn = true
  const writer = async (own: number) => {
    for (let n = 0; goesOn; n++) {
      const name = `beet_${own}_${n}`
      await insist(() => upload(service.call, name))
      names.push(name)
    }
  }
  const all = Promise.all([0, 1, 2, 3].map(writer))
  return {
    names,
    /** Until so many more were written. */
    more: async (count: number) => {
      const before = names.length
      while (names.length < before + count) await Promise.race([pause(20), all])
    },
    leave: () => {
      goesOn = false
    },
    end: async () => {
      goesOn = false
      await all
    }
  }
}

/** What was told to be stored is in the log once, and is found; the log has no gap. */
const nothingLost = async (service: Service, names: ReadonlyArray<string>) => {
  const [row] = await service.sql<{ head: bigint; count: bigint; commands: bigint; ids: bigint }>(
    `SELECT max(position) AS head, count(*) AS count, count(DISTINCT (stream, revision)) AS commands,
       count(DISTINCT event_id) AS ids FROM events`
  )
  const { head, count, commands, ids } = row!
  assert.deepStrictEqual([count, commands, ids], [head, head, head])
  const streams = await service.sql("SELECT stream FROM events WHERE type = 'SnippetUploaded'")
  assert.strictEqual(streams.length, names.length)
  assert.strictEqual(new Set(streams.map((row) => JSON.stringify(row))).size, names.length)
  const found = new Set<string>()
  for (const name of names)
    for (const { code_block } of await matches(service.call, `${name} task`, { top_k: 100, min_verdict_score: 0 }))
      found.add(code_block.name)
  assert.includeMembers([...found], [...names])
}

/** A way to a server that may lead to another one from now on. */
const startSwitch = async (to: PostgresServer) => {
  let port = to.port
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1")
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket
        .on("error", () => {})
        .on("close", () => {
          open.delete(socket)
          client.destroy()
          upstream.destroy()
        })
    }
    client.pipe(upstream).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as { port: number }).port,
    lead: (other: PostgresServer) => {
      port = other.port
      for (const socket of open) socket.destroy()
    },
    stop: () => server.close()
  }
}

describe.skipIf(!isHere)("a service whose Postgres server goes", () => {
  const endings: Array<() => unknown> = []
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end()
  })

  const started = async (port: number, environment = {}) => {
    const installation = await newInstallation()
    endings.push(() => removeInstallation(installation))
    const database = Redacted.make(`postgres://postgres@127.0.0.1:${port}/postgres`)
    const service = await startService(
      { CAIRN_READ_PATIENCE_MS: "1000", ...environment },
      { ...installation, database }
    )
    endings.push(() => service.stop())
    return service
  }
  const server = async () => {
    const made = await PostgresServer.make()
    endings.push(() => made.stop())
    return made
  }

  it("killed, and restarted, in the middle of writes says so, loses nothing, and goes on by itself", async () => {
    const postgres = await server()
    const service = await started(postgres.port)
    const writers = writing(service)
    endings.push(() => writers.leave())
    await writers.more(10)
    postgres.signal("SIGKILL")
    await postgres.ended()
    passes(await upload(service.call, "while_it_is_away"))
    const report = await service.call("GET", "/ready")
    assert.deepStrictEqual([report.status, report.json.missing], [503, ["database"]])
    await postgres.start()
    await writers.more(10)
    await postgres.restart()
    await writers.more(10)
    await writers.end()
    await stored(service.call, "while_it_is_away")
    await nothingLost(service, [...writers.names, "while_it_is_away"])
    const { json } = await insist(() => service.call("GET", "/ready"))
    assert.deepStrictEqual(json.missing, [])
  })

  it("stopped in its tracks keeps nobody waiting, neither who writes nor who reads, and goes on behind it", async () => {
    const postgres = await server()
    const metrics = await freePort()
    const service = await started(postgres.port, { CAIRN_METRICS_PORT: String(metrics) })
    const missing = async () => (await scrape(metrics)).valueOf("cairn_missing", { what: "database" })
    const writers = writing(service)
    endings.push(() => writers.leave())
    await writers.more(10)
    const since = Date.now()
    postgres.signal("SIGSTOP")
    try {
      const answers = await Promise.all([
        upload(service.call, "held_up"),
        service.call("POST", "/api/retrieve/search", { task: "beet" }),
        service.call("GET", "/api/events?limit=1"),
        service.call("GET", "/api/workspaces")
      ])
      for (const answer of answers) passes(answer)
      const { status, json } = await service.call("GET", "/ready")
      assert.deepStrictEqual([status, json.missing], [503, ["database"]])
      assert.strictEqual(await missing(), 1)
      if (isLong) await pause(30_000 - (Date.now() - since))
    } finally {
      postgres.signal("SIGCONT")
    }
    await writers.more(10)
    await writers.end()
    await insist(() => upload(service.call, "held_up"))
    assert.strictEqual(await missing(), 0)
    await nothingLost(service, [...writers.names, "held_up"])
  })

  it("fails over to a standby in the middle of writes ends in what was told, with nothing lost or twice", async () => {
    const primary = await server()
    const standby = await primary.standby()
    endings.push(() => standby.stop())
    const line = await startSwitch(primary)
    endings.push(() => line.stop())
    const service = await started(line.port)
    const writers = writing(service)
    endings.push(() => writers.leave())
    await writers.more(20)
    primary.signal("SIGKILL")
    standby.promote()
    line.lead(standby)
    await writers.more(20)
    await writers.end()
    const [row] = await service.sql<{ standby: boolean }>("SELECT pg_is_in_recovery() AS standby")
    assert.isFalse(row!.standby)
    await nothingLost(service, writers.names)
  })
})
