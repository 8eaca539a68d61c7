import { assert, it } from "@effect/vitest"
import { beginning, positionOf } from "#engine/Position.ts"
import type { StoredEvent } from "#engine/ports/EventStore.ts"
import { Recent } from "#infra/kurrent/Recent.ts"
import { upTo } from "../../engine/appends.ts"

const of = (n: number) => ({ tenant: `tenant ${n}`, type: "Noted", position: positionOf(n) }) as StoredEvent

it("what is remembered of ten thousand tenants begins anew with one more, and says so", () => {
  const recent = new Recent(beginning)
  recent.note(upTo(10_000).map((n) => of(n + 1)))
  assert.lengthOf(recent.since(beginning)!.kinds, 10_000)
  recent.note([of(10_001)])
  assert.isUndefined(recent.since(beginning))
  assert.isUndefined(recent.since(positionOf(10_000)))
  const head = positionOf(10_001)
  assert.deepStrictEqual(recent.since(head), { head, kinds: [] })
  recent.note([of(10_002)])
  const next = { tenant: "tenant 10002", type: "Noted", last: positionOf(10_002) }
  assert.deepStrictEqual(recent.since(head), { head: next.last, kinds: [next] })
})
