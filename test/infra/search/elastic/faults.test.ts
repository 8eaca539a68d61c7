import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { both, idsOfCopies, putFirst } from "#test/elasticsearch/copies.ts"
import { whyNot } from "#test/elasticsearch/distribution.ts"
import { newName } from "#test/elasticsearch/index.ts"
import { startElasticsearch } from "#test/elasticsearch/server.ts"
import { isLong } from "#test/long.ts"
import { type Answer, type Service, startService } from "#test/service.ts"
import { refused } from "../../../http/problem.ts"
import { stored, vote } from "../../../http/store.ts"

const isHere = whyNot() === undefined
// a cluster of its own: these tests stop it
const nodes = isHere ? await startElasticsearch(2) : []
const [master, other] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]
const hosts = nodes.map(({ url }) => new URL(url).host)

const index = newName()
let service: Service

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Until something holds: the index catches up by itself. */
const until = async <A>(look: () => Promise<A>, holds: (found: A) => boolean): Promise<A> => {
  for (;;) {
    const found = await look()
    if (holds(found)) return found
    await pause(100)
  }
}

const search = (task: string) =>
  service.call("POST", "/api/retrieve/search", { task, top_k: 100, min_verdict_score: 0 })

const namesIn = ({ json }: Answer): ReadonlyArray<string> =>
  json.matches.map((match: { code_block: { name: string } }) => match.code_block.name)

const idsIn = ({ json }: Answer): ReadonlyArray<string> =>
  json.matches.map((match: { code_block: { id: string } }) => match.code_block.id)

/** A search that has seen everything: the task is in no answer that is remembered. */
let asked = 0
const whole = (task: string) =>
  until(
    () => search(`${task} task ${asked++}`),
    ({ status, headers }) => status === 200 && headers.get("cairn-stale") === null
  )

/** A search may answer, or say that it can't just now; and nothing else. */
const answersOrRefuses = (answer: Answer) => {
  if (answer.status === 200) return
  refused(answer, 503, "unavailable/search")
  assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
}

const ready = (holds: (json: Answer["json"]) => boolean) =>
  until(
    () => service.call("GET", "/ready"),
    ({ json }) => holds(json)
  )

/** While nobody answers for the index: searches say so in time, and everything else goes on. */
const allButSearch = async (id: string, name: string) => {
  const refusal = await until(
    () => search(`${name} away ${asked++}`),
    ({ status }) => status !== 200
  )
  answersOrRefuses(refusal)
  assert.strictEqual((await vote(service.call, id)).status, 200)
  await stored(service.call, name)
  for (const path of ["/api/events?limit=1", "/api/workspaces"])
    assert.strictEqual((await service.call("GET", path)).status, 200, path)
  // a process that can't search still is to be asked for the rest
  const { status, json } = await ready(({ missing }) => missing.includes("search"))
  assert.deepStrictEqual([status, json.status, json.missing], [200, "ready", ["search"]])
  assert.include(json.read_models.snippet_index, hosts[0])
}

describe.skipIf(!isHere)("a service whose Elasticsearch has two nodes", () => {
  beforeAll(async () => {
    service = await startService({
      ELASTICSEARCH_URL: nodes.map(({ url }) => url).join(","),
      ELASTICSEARCH_INDEX: index,
      CAIRN_READ_PATIENCE_MS: "1000"
    })
    await ready(({ status }) => status === "ready")
  })
  afterAll(async () => {
    await service?.close()
    await Promise.all(nodes.map((node) => node.stop()))
  })

  /** Snippets that are there, and that were deleted, while one node was away. */
  let [kept, deleted]: [ReadonlyArray<string>, ReadonlyArray<string>] = [[], []]
  /** Both copies have the same, with all of the one and none of the other. */
  const alike = async () => {
    await both(nodes, index)
    const [one, two] = await idsOfCopies(nodes, index)
    assert.deepStrictEqual(two, one)
    const held = (snippet: string) => one!.some((id) => id.endsWith(snippet))
    assert.deepStrictEqual([kept.filter((id) => !held(id)), deleted.filter(held)], [[], []])
    return one!
  }

  it("goes on when one is killed in the middle of writes and searches, and loses and revives nothing", async () => {
    // a first try may have left them
    await Promise.all(nodes.filter(({ hasEnded }) => hasEnded).map((node) => node.restart(2)))
    const names = Array.from({ length: 30 }, (_, n) => `turnip_${n}`)
    const doomed: Array<string> = []
    for (const name of names.slice(0, 4)) await stored(service.call, name)
    doomed.push(...idsIn(await whole("turnip")).slice(0, 2))
    deleted = [...doomed]
    await putFirst(nodes, other, index)

    let searches = 0
    let writing = true
    const searching = (async () => {
      while (writing) {
        answersOrRefuses(await search(`turnip and ${searches++}`))
      }
    })()
    for (const [place, name] of names.slice(4).entries()) {
      const writes = [stored(service.call, name)]
      // the copy that takes writes goes, with writes on their way
      if (place === 8) other.signal("SIGKILL")
      if (place === 9 || place === 20)
        writes.push(service.call("POST", "/api/snippets/delete", { snippet_id: doomed.pop() }))
      await Promise.all(writes)
    }
    writing = false
    await searching
    assert.isAbove(searches, 0)

    // on the one that is left
    const answer = await whole("turnip")
    const found = namesIn(answer)
    assert.lengthOf(found, names.length - 2)
    assert.includeMembers([...names], [...found])
    kept = idsIn(answer)

    // else it stays away until the other one is killed, too, and comes back with it: each start is ten seconds of the
    // processor
    if (!isLong) return
    await other.restart(2)
    await both(nodes, index)
    assert.sameMembers([...namesIn(await whole("turnip"))], [...found])
    // and the one that counts how far it has come
    assert.lengthOf(await alike(), found.length + 1)
  })

  it("when all are killed says so in searches alone, and catches up by itself when they are back", async () => {
    await stored(service.call, "median")
    const [id] = idsIn(await whole("median")) as [string]
    for (const node of nodes) node.signal("SIGKILL")
    await allButSearch(id, "quantile")
    await Promise.all(nodes.map((node) => node.restart(2)))
    const names = namesIn(await whole("quantile"))
    assert.includeMembers([...names], ["quantile", "median"])
    // also where one was killed before the other, which took writes meanwhile
    assert.isNotEmpty(kept)
    await alike()
    await ready(({ missing, read_models }) => missing.length === 0 && read_models.snippet_index === "ok")
  })

  it("when all are stopped in their tracks ends a search all the same, and goes on behind it", async () => {
    await stored(service.call, "gherkin")
    const [id] = idsIn(await whole("gherkin")) as [string]
    const since = Date.now()
    for (const node of nodes) node.signal("SIGSTOP")
    try {
      await allButSearch(id, "cucumber")
      if (isLong) await pause(30_000 - (Date.now() - since))
    } finally {
      for (const node of nodes) node.signal("SIGCONT")
    }
    assert.includeMembers([...namesIn(await whole("cucumber"))], ["cucumber", "gherkin"])
    await ready(({ missing }) => missing.length === 0)
  })

  it("when their disks are full finds what they have, says that it may be old, and takes in the rest when there is room", async () => {
    await stored(service.call, "parsnip")
    await whole("parsnip")
    const settings = (enabled: boolean) =>
      fetch(`${master.url}/_cluster/settings`, {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          persistent: {
            "cluster.info.update.interval": "10s",
            "cluster.routing.allocation.disk.threshold_enabled": enabled,
            // free space that no disk has
            ...Object.fromEntries(
              ["low", "high", "flood_stage"].map((mark) => [
                `cluster.routing.allocation.disk.watermark.${mark}`,
                enabled ? "900tb" : null
              ])
            )
          }
        })
      })
    try {
      assert.strictEqual((await settings(true)).status, 200)
      let written = 0
      const { json } = await until(
        async () => {
          await stored(service.call, `radish_${written++}`)
          return service.call("GET", "/ready")
        },
        ({ json }) => json.missing.includes("search")
      )
      assert.include(json.read_models.snippet_index, "cluster_block_exception")
      const old = await search("parsnip task again")
      assert.deepStrictEqual([old.status, old.headers.get("cairn-stale")], [200, "true"])
      assert.include(namesIn(old), "parsnip")
      assert.strictEqual((await settings(false)).status, 200)
      // by its own name: a search tells a hundred, and there may be more of them
      const last = `radish_${written - 1}`
      assert.includeMembers([...namesIn(await whole(last))], [last])
    } finally {
      await settings(false)
    }
  })
})
