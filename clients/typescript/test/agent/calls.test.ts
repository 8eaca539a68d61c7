import { assert, it } from "vitest"
import { failure, stub } from "../../../../test/clients/typescript/stub.ts"
import { agentFunction, publishFunctions } from "../../src/agent/index.ts"

/** A function whose calls are told of, and how they ended: with what they gave and why they failed. */
const told = async <T extends (...args: Array<never>) => unknown>(fn: T, options: object = {}) => {
  const { cairn, sent } = stub([{ status: 200, body: { success: true, code_block_id: "x", embedding_id: "x" } }])
  const marked = agentFunction(fn as never, options) as unknown as T & { readonly snippetName: string | null }
  await publishFunctions(cairn, [marked as never])
  const runs = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return sent.slice(1).map(({ body }) => [body.execution_state, body.io.output_data, body.error_message])
  }
  return { fn: marked, runs, sent }
}

it("works as before, whatever kind of function it is", async () => {
  const own = Object.assign(Promise.resolve("later"), { more: "of it" })
  const promising = await told((_: number) => own)
  assert.strictEqual(promising.fn(1), own, "the promise itself, with all that it has besides")
  assert.strictEqual(promising.fn.length, 1)
  const failing = await told(async () => Promise.reject(new TypeError("later")))
  assert.instanceOf(await failure(failing.fn()), TypeError)
  assert.deepStrictEqual(await failing.runs(), [["errored", null, "later"]])

  const counter = {
    by: 2,
    count: (
      await told(function (this: { by: number }, n: number) {
        return this.by * n
      })
    ).fn
  }
  assert.strictEqual(counter.count(3), 6)
})

it("a record that would be taken only later is not waited for, and nobody hears of it", async () => {
  const later = { status: 503, headers: { "retry-after": "30" } }
  const { cairn, sent, waits, lines } = stub([
    { status: 200, body: { success: true, code_block_id: "x", embedding_id: "x" } },
    later
  ])
  const marked = agentFunction(() => 1, { name: "one", description: "One." })
  await publishFunctions(cairn, [marked])
  marked()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepStrictEqual([sent.length, waits, lines], [2, [], []])
})

it("a generator's call ends when it does, or when nobody wants more of it", async () => {
  const plain = await told(
    function* (most: number): Generator<number, string, string> {
      if (most < 0) throw new RangeError("too few")
      let words = ""
      for (let n = 0; n < most; n++) words += yield n
      return words
    },
    { recordValues: true }
  )
  assert.deepStrictEqual([...plain.fn(3)], [0, 1, 2])
  const talking = plain.fn(2)
  assert.deepStrictEqual(
    [talking.next(), talking.next("a"), talking.next("b")],
    [
      { done: false, value: 0 },
      { done: false, value: 1 },
      { done: true, value: "ab" }
    ]
  )
  for (const _ of plain.fn(3)) break
  assert.throws(() => plain.fn(-1).next(), RangeError)
  plain.fn(9)
  assert.deepStrictEqual(await plain.runs(), [
    ["completed", "undefinedundefinedundefined", undefined],
    ["completed", "ab", undefined],
    ["completed", null, undefined],
    ["errored", null, "too few"]
  ])

  const later = await told(async function* (most: number) {
    for (let n = 0; n < most; n++) yield n
    if (most === 3) throw new RangeError("that was three")
  })
  const seen: Array<number> = []
  for await (const n of later.fn(2)) seen.push(n)
  assert.deepStrictEqual(seen, [0, 1])
  const all = async () => {
    for await (const _ of later.fn(3));
  }
  assert.instanceOf(await failure(all()), RangeError)
  for await (const _ of later.fn(3)) break
  assert.deepStrictEqual(
    (await later.runs()).map(([state]) => state),
    ["completed", "errored", "completed"]
  )
})

it("whatever it takes, gives or throws, it is disturbed by nothing", async () => {
  process.env["CAIRN_TEST_TOKEN"] = "a-very-secret-value"
  const { fn, runs } = await told(
    (value: unknown, fails?: boolean) => {
      if (fails) throw value
      return value
    },
    { recordValues: true }
  )
  const cyclic: Array<unknown> = [1]
  cyclic.push(cyclic)
  let deep: Array<unknown> = []
  for (let n = 0; n < 200; n++) deep = [deep]
  const rude = Object.create(null)
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const values = [
    Buffer.alloc(1_000_000),
    "x".repeat(1_000_000),
    Array(1_000_000).fill(0),
    cyclic,
    proxy,
    Number.NaN,
    deep
  ]
  for (const value of values) assert.isTrue(Object.is(fn(value), value))
  const late = Object.assign(new Error("too late"), { name: "TimeoutError" })
  const thrown = [rude, Symbol("s"), undefined, "a text", new Error("not a-very-secret-value"), late]
  for (const value of thrown) {
    try {
      fn(value, true)
      assert.fail("it throws")
    } catch (error) {
      assert.strictEqual(error, value)
    }
  }
  delete process.env["CAIRN_TEST_TOKEN"]
  const [bytes, long, many, circle, gone, nan, nested, ...errors] = await runs()
  const tooMuch = { omitted: "more than 100000 characters of JSON" }
  assert.deepStrictEqual(
    [bytes, long, many, circle, gone, nan].map((run) => run?.[1]),
    ["1000000 bytes", tooMuch, tooMuch, [1, "[cycle]"], { omitted: "no JSON" }, null]
  )
  assert.include(JSON.stringify(nested), "[too deep]")
  assert.deepStrictEqual(
    errors.map(([state, , message]) => [state, message]),
    [
      ...[
        ["errored", "something that has no text"],
        ["errored", "Symbol(s)"],
        ["errored", "undefined"]
      ],
      ...[
        ["errored", "a text"],
        ["errored", "not ***"],
        ["timed_out", "too late"]
      ]
    ]
  )
})

it("tells only how much it took and gave, and no more than that of what is too much", async () => {
  const { fn, runs, sent } = await told((value: unknown) => value)
  fn({ password: "secret" })
  fn("x".repeat(1_000_000))
  await runs()
  assert.deepStrictEqual(
    sent.slice(1).map(({ body }) => [body.io.input_data.args, body.io.output_data]),
    [
      [{ characters: 23 }, { characters: 21 }],
      [{ omitted: "more than 100000 characters of JSON" }, { omitted: "more than 100000 characters of JSON" }]
    ]
  )
  assert.notInclude(JSON.stringify(sent.slice(1)), "secret")
})

it("of too many calls at once some are not recorded, rather than that they wait", async () => {
  const { cairn, sent } = stub([
    { status: 200, body: { success: true, code_block_id: "x", embedding_id: "x", message: "" } },
    "silence"
  ])
  const fn = agentFunction((a: number, b: number) => a / b, { name: "divide" })
  await publishFunctions(cairn, [fn])
  for (let n = 1; n <= 300; n++) assert.strictEqual(fn(n, 1), n)
  await new Promise((resolve) => setImmediate(resolve))
  assert.strictEqual(sent.length, 101)
})
