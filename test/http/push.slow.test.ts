import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { afterAll, assert, describe, it, vi } from "vitest"
import { noGit } from "#test/infra/git/git.ts"
import { isLong } from "#test/long.ts"
import { organization } from "#test/service/tenants.ts"
import { service, startsAgent } from "./agent.ts"
import { git, good, makesClones, place, urlOf, wrote } from "./clone.ts"

startsAgent()
makesClones()

const open: Array<() => void> = []
afterAll(() => {
  for (const close of open) close()
})

/** A way to the service that lets so many bytes a second through to it, in small pieces; answers come as they are. */
const slowWay = async (bytesPerSecond: number) => {
  const { hostname, port } = new URL(service.url)
  const sockets = new Set<Socket>()
  let rate = bytesPerSecond
  let passed = 0
  let due = 0
  let before = performance.now()
  const server = createServer((from) => {
    const to = connect(Number(port), hostname)
    for (const socket of [from, to]) {
      sockets.add(socket)
      socket.on("error", () => {}).on("close", () => to.destroySoon())
    }
    let held = Buffer.alloc(0)
    let hasEnded = false
    from.on("data", (piece: Buffer) => {
      held = Buffer.concat([held, piece])
      from.pause()
    })
    from.on("end", () => {
      hasEnded = true
    })
    to.pipe(from)
    // how much is due follows from the time that went by: a busy machine makes it no slower
    const timer = setInterval(() => {
      const now = performance.now()
      due = Math.min(due + (rate * (now - before)) / 1_000, Math.max(rate, 1))
      before = now
      const given = held.subarray(0, Math.floor(due))
      held = held.subarray(given.length)
      due -= given.length
      passed += given.length
      if (given.length > 0) to.write(given)
      if (held.length === 0) from.resume()
      if (held.length === 0 && hasEnded) to.end()
    }, 50)
    from.on("close", () => clearInterval(timer))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  open.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: () => passed,
    set: (next: number) => {
      rate = next
    }
  }
}
const atOnce = 100_000_000

const me = ["-c", "user.name=Sam Slow", "-c", "user.email=sam@example.org"]

/** A clone of a workspace of somebody's, with a commit that takes so many bytes on the wire. */
const toPush = async (of: { readonly key: string }, user: string, bytes: number) => {
  const { workspace_id: id } = await wrote(user, { "a.txt": "one\n" }, { ...service, call: service.as(of.key) })
  const clone = place()
  await good("clone", "-q", urlOf(id, of.key), clone)
  writeFileSync(join(clone, "noise.bin"), randomBytes(bytes))
  await good("-C", clone, "add", "-A")
  await good("-C", clone, ...me, "commit", "-q", "-m", "noise")
  return {
    /** As a user would see it. */
    push: async (by: { readonly url: string } = service) => {
      const { code, err } = await git("-C", clone, "push", urlOf(id, of.key, by), "HEAD:main")
      return { code, err }
    }
  }
}

describe.skipIf(noGit || !isLong)("a real git over a slow connection", () => {
  it("loses its place, with the reason that it prints, where it is too slow; is taken where it is not; others go on", {
    timeout: 300_000
  }, async () => {
    const [slow, steady, still, other] = await Promise.all(
      Array.from({ length: 4 }, () => organization(service, "PRO"))
    )
    const ended: Array<string> = []
    const named = <A>(name: string, pushing: Promise<A>) => pushing.finally(() => ended.push(name))
    const ways = { still: await slowWay(40_000), slow: await slowWay(8_000), steady: await slowWay(32_000) }

    // twice the least, for longer than what is looked at
    const long = await toPush(steady!, "steady", 2_500_000)
    const fast = named("steady", long.push(ways.steady))
    const stopping = await toPush(still!, "still", 1_000_000)
    const stopped = named("still", stopping.push(ways.still))
    await vi.waitFor(() => assert.isAbove(ways.still.passed(), 100_000), { timeout: 60_000 })
    ways.still.set(0)

    // half the least, on both places that a tenant has; and one more waits for a place
    const halves = [await toPush(slow!, "slow", 1_000_000), await toPush(slow!, "slower", 1_000_000)] as const
    const another = await slowWay(8_000)
    const refused = [named("slow", halves[0].push(ways.slow)), named("slow", halves[1].push(another))]
    const third = await toPush(slow!, "third", 1_000)
    await vi.waitFor(() => assert.isAbove(Math.min(ways.slow.passed(), another.passed()), 100_000), { timeout: 60_000 })
    const waiting = named("third", third.push())

    const quick = await (await toPush(other!, "quick", 300_000)).push()
    assert.deepStrictEqual([quick.code, ended], [0, []], quick.err)

    const taken = await waiting
    assert.strictEqual(taken.code, 0, taken.err)
    assert.notInclude(ended, "slow", "it had its place before who lost it had sent the rest")
    // of what has no place any more git only hears when it has sent all
    for (const way of [ways.slow, another, ways.still]) way.set(atOnce)
    for (const { code, err } of await Promise.all(refused)) {
      assert.strictEqual(code, 1)
      assert.match(
        err,
        /! \[remote rejected\] +HEAD -> main \(it comes too slowly, less than 16 kB in each second of the last 60; push less at once, or over a faster connection\)/
      )
    }
    const { code, err } = await stopped
    assert.strictEqual(code, 1)
    assert.match(err, /! \[remote rejected\] +HEAD -> main \(nothing came for 30 seconds; push again\)/)

    const whole = await fast
    assert.strictEqual(whole.code, 0, whole.err)
    // over a faster connection it is taken as it is
    for (const { push } of [...halves, stopping]) {
      const again = await push()
      assert.strictEqual(again.code, 0, again.err)
    }
  })
})
