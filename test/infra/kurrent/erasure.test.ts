import { assert, describe, it, vi } from "vitest"
import { connectTo } from "#test/postgres.ts"
import { startProcess } from "#test/service/process.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { ownerKey } from "#test/service.ts"
import { serviceOnDouble } from "../../kurrent/service.ts"
import { send } from "../../service/call.ts"

describe("an erasure with the log in KurrentDB", () => {
  const world = serviceOnDouble()
  const email = "max@example.org"

  it("whose process is killed between the event and the removal of texts is finished by the next start", async () => {
    const { double, service } = world
    const tenant = await organization(service, "ENTERPRISE", 2)
    await memberKey(tenant.call, email)
    const { keys } = (await tenant.call("POST", "/api/keys/org/list")).json
    const user = keys.find((key: { readonly user_email: string }) => key.user_email === email).user_id
    await service.stop()

    const { query, close } = await connectTo(service)
    const texts = async () => {
      const rows = await query(`SELECT 1 FROM kurrent_texts WHERE bytes LIKE '%${email}%'::bytea`)
      return rows.length
    }
    const before = await texts()
    assert.isAbove(before, 0)
    const killed = startProcess(service, {
      KURRENTDB_URL: double.url,
      CAIRN_OWNER_KEY: ownerKey,
      CAIRN_RATE_LIMITS: "off"
    })
    const [, url] = await killed.said(/Cairn is at (http:\S+)/)
    // texts go in meanwhile, and none is removed
    await query("SELECT pg_advisory_lock_shared(5020720)")
    const lost = send(url!, "DELETE", `/api/users/${user}`, undefined, { authorization: `Bearer ${tenant.key}` })
    const refused = lost.catch(() => undefined)
    const erased = () => double.records.all.filter(({ type }) => type === "UserErased" || type === "MemberErased")
    const waiting = () =>
      query(`SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE d.datname = current_database() AND locktype = 'advisory' AND objid = 5020720 AND NOT granted`)
    await vi.waitFor(
      async () => {
        assert.isNotEmpty(erased())
        assert.isNotEmpty(await waiting())
      },
      { timeout: 60_000, interval: 5 }
    )
    await killed.stop("SIGKILL")
    await refused
    await query("SELECT pg_advisory_unlock_shared(5020720)")
    await vi.waitFor(async () => assert.isEmpty(await waiting()), { timeout: 60_000, interval: 5 })
    assert.strictEqual(await texts(), before)

    await world.restart()
    await vi.waitFor(async () => assert.strictEqual(await texts(), 0), { timeout: 60_000, interval: 20 })
    await close()
  })
})
