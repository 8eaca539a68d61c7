import { assert, describe, it } from "@effect/vitest"
import { telemetryIn, telemetryInSteps } from "#domain/functions/telemetry.ts"
import { worked } from "#test/hostile/processor.ts"

const start = "--- RAYSURFER_TELEMETRY_START ---"
const end = "--- RAYSURFER_TELEMETRY_END ---"
const report = (functions: string) => `{"raysurfer_telemetry":{"version":1,"functions":{${functions}}}}`
const entry = (calls: unknown, size: unknown = 4, empty: unknown = 0.5) =>
  `{"call_count":${JSON.stringify(calls)},"avg_value_size":${JSON.stringify(size)},"empty_rate":${JSON.stringify(empty)},"value_types":{"str":2}}`
const block = (functions: string) => `\n${start}\n${report(functions)}\n${end}\n`

describe("telemetry in logs", () => {
  it("is read between the markers, of every block, and added up", () => {
    const logs = `out\n${block(`"f":${entry(2)},"__module__":${entry(1, 10, 0)}`)}more${block(`"f":${entry(6, 8, 0)}`)}`
    assert.deepStrictEqual(telemetryIn([logs, "nothing"]), [
      { name: "f", calls: 8, averageSize: 7, emptyRate: 0.125 },
      { name: "__module__", calls: 1, averageSize: 10, emptyRate: 0 }
    ])
  })

  it("is read under the neutral name too, on Windows lines, and spread over lines", () => {
    const neutral = block(`"f":${entry(2)}`)
      .replaceAll("RAYSURFER", "CAIRN")
      .replace("raysurfer", "cairn")
    const expected = [{ name: "f", calls: 2, averageSize: 4, emptyRate: 0.5 }]
    assert.deepStrictEqual(telemetryIn([neutral]), expected)
    assert.deepStrictEqual(
      telemetryIn([
        block(`"f":${entry(2)}`)
          .replaceAll("\n", "\r\n")
          .replaceAll(",", ",\r\n ")
      ]),
      expected
    )
  })

  it("is found wherever in a long log it stands", () => {
    const logs = block(`"f":${entry(2)}`)
    const expected = [{ name: "f", calls: 2, averageSize: 4, emptyRate: 0.5 }]
    const stretch = 262_144
    for (const at of [
      stretch - logs.length,
      stretch - 64,
      stretch - start.length - 1,
      stretch - 10,
      stretch - 1,
      stretch
    ]) {
      const text = `${"-".repeat(at)}${logs}${"-".repeat(stretch)}`
      assert.deepStrictEqual(telemetryIn([text]), expected, `at ${at}`)
    }
    // between its marks too
    const apart = logs.replace(`\n${end}`, `${" ".repeat(3 * stretch)}\n${end}`)
    assert.deepStrictEqual(telemetryIn([apart]), expected)
  })

  it("is looked for in steps, however little there is to be found", () => {
    const steps = telemetryInSteps(["-".repeat(5_000_000)])
    let count = 0
    while (!steps.next().done) count += 1
    assert.isAtLeast(count, 19)
  })

  it("counts as far as its entries are whole when it was cut off anywhere", () => {
    const whole = `${start}\n${report(`"f":${entry(2)},"g\\"}{":${entry(3)},"h":${entry(4)}`)}`
    const names: Array<string> = []
    for (let length = 0; length <= whole.length; length++) {
      const found = telemetryIn([whole.slice(0, length)])
      assert.deepStrictEqual(found, telemetryIn([whole]).slice(0, found.length))
      const last = found.at(-1)?.name
      if (last !== undefined && last !== names.at(-1)) names.push(last)
    }
    assert.deepStrictEqual(names, ["f", 'g"}{', "h"])
    // the next report begins before this one has ended
    const two = `${start}\n${report(`"f":${entry(2)},"g":${entry(3)}`).slice(0, 140)}... [cut]${block(`"h":${entry(1)}`)}`
    assert.deepStrictEqual(
      telemetryIn([two]).map(({ name }) => name),
      ["f", "h"]
    )
  })

  it("doesn't count what is no measurement", () => {
    const wrong = [
      ...[-1, 0, 1.5, 1e300, "2", null, true, [], {}, 2_000_000_000].map((calls) => `"a":${entry(calls)}`),
      ...[-1, "4", [], 1e300].map((size) => `"a":${entry(1, size)}`),
      ...[-0.1, 1.1, "0"].map((empty) => `"a":${entry(1, 1, empty)}`),
      ...[
        '"a":3',
        '"a":null',
        '"a":[1]',
        `"":${entry(1)}`,
        `"__proto__":${entry(1)}`,
        `"${"n".repeat(201)}":${entry(1)}`
      ],
      ...['"a":{"call_count":NaN}', '"a":{"call_count":Infinity}', `"a":{"__proto__":${entry(1)}}`]
    ]
    for (const one of wrong) {
      assert.deepStrictEqual(telemetryIn([block(one)]), [], one)
      const beside = telemetryIn([block(`${one},"f":${entry(2)}`)]).map(({ name }) => name)
      // JSON that is none ends at its first fault
      assert.deepStrictEqual(beside, /NaN|Infinity/.test(one) ? [] : ["f"], one)
    }
    const version = block(`"f":${entry(2)}`)
    assert.deepStrictEqual(telemetryIn([version.replace('"version":1', '"version":2')]), [])
    assert.deepStrictEqual(telemetryIn([version.replace(start, "")]), [])
    assert.deepStrictEqual(
      telemetryIn([`${start}\n[1]\n${end}`, `${start}\n{"raysurfer_telemetry":[]}\n${end}`, `${start}${end}`]),
      []
    )
    assert.strictEqual(({} as { calls?: number }).calls, undefined)
  })

  it("is bounded, and linear in the text", () => {
    const many = Array.from({ length: 5_000 }, (_, at) => `"f${at}":${entry(1)}`).join(",")
    assert.strictEqual(telemetryIn([block(many)]).length, 200)
    const size = 16 << 20
    const filled = (text: string) => text.repeat(Math.ceil(size / text.length))
    const open = `${start}\n{"raysurfer_telemetry":{"version":1,"functions":{`
    for (const text of [
      ...[
        filled(`${start}\n`),
        filled("--- RAYSURFER_TELEMETRY_"),
        filled("-"),
        open + filled("{"),
        open + filled('"a":{'),
        open + filled('"')
      ],
      ...[
        open + filled("\\"),
        open + filled(" "),
        open + filled(`"f":${entry(1)},`),
        start + filled("{"),
        filled(`${start}{`),
        filled(open)
      ]
    ]) {
      const from = worked(process.pid)
      assert.isAtMost(telemetryIn([text]).length, 200)
      // Seconds at most; a square would be hours.
      assert.isBelow(worked(process.pid) - from, 25_000, text.slice(0, 60))
    }
  }, 120_000)
})
