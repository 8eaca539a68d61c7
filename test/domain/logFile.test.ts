import { assert, describe, it } from "@effect/vitest"
import { readLog, type SentLog } from "#domain/logFile.ts"

const readAll = (log: SentLog) => {
  const steps = readLog(log)
  for (let count = 0; ; count++) {
    const { done, value } = steps.next()
    if (done) return { count, log: value }
  }
}
const read = (content: string, encoding: "utf-8" | "base64" = "base64") => {
  const { log } = readAll({ path: "run.log", content, encoding, contentType: "x/y" })
  if (log === undefined) return undefined
  const { path, ...kept } = log
  return kept
}
const base64 = (...bytes: ReadonlyArray<number>) => Buffer.from(bytes).toString("base64")

describe("log files", () => {
  it("are text as they are, or as base64 says", () => {
    assert.deepStrictEqual(read("grüße\n", "utf-8"), { contentType: "x/y", size: 8, content: "grüße\n" })
    assert.deepStrictEqual(read(Buffer.from("grüße\n").toString("base64")), read("grüße\n", "utf-8"))
    assert.strictEqual(read("b2s=", "utf-8")?.content, "b2s=")
    assert.strictEqual(read("")?.content, "")
  })

  it("are noted without content when they are no text", () => {
    assert.deepStrictEqual(read(base64(0x89, 0x50, 0x4e, 0x47, 0, 1)), { contentType: "x/y", size: 6, content: null })
    assert.strictEqual(read(base64(0x6f, 0x6b, 0))?.content, null)
    assert.strictEqual(read(base64(0xc3, 0x28))?.content, null)
  })

  it("may be what Windows writes", () => {
    assert.strictEqual(read(base64(0xff, 0xfe, 0x6f, 0, 0x6b, 0))?.content, "ok")
    assert.strictEqual(read(base64(0xfe, 0xff, 0, 0x6f, 0, 0x6b))?.content, "ok")
    assert.strictEqual(read(base64(0xff, 0xfe, 0, 0xd8, 0, 0))?.content, null)
    assert.strictEqual(read(base64(0xef, 0xbb, 0xbf, 0x6f, 0x6b))?.content, "ok")
  })

  it("are refused when they say base64 and are none", () => {
    for (const content of ["b2s", "b2s=b2s=", "b2s-", "b=s=", "====", "bäs=", "b2s\0"]) {
      assert.isUndefined(read(content), content)
    }
    assert.strictEqual(read("b2\r\ns=\n")?.content, "ok")
    const long = "b2sK".repeat(100_000)
    for (const wrong of [`${long}b2s`, `b2s=${long}`, `${long}b2s=${long}`, `${long}-${long}`, `${long}=`]) {
      assert.isUndefined(read(wrong))
    }
  })

  it("are read in steps when they are large, wherever these cut them", () => {
    const text = "grüße 😀\n".repeat(50_000)
    for (const [every, end] of [
      [76, "\n"],
      [3, "\r\n"],
      [1, " "]
    ] as const) {
      const content = Buffer.from(text)
        .toString("base64")
        .replace(new RegExp(`(.{${every}})`, "g"), `$1${end}`)
      const { count, log } = readAll({ path: "a", content, encoding: "base64", contentType: null })
      assert.strictEqual(log?.content, text)
      assert.isAtLeast(count, content.length / 131_072)
    }
    assert.isNull(read(Buffer.from(`${text}\0`).toString("base64"))?.content)
    assert.isNull(read(Buffer.concat([Buffer.from(text), Buffer.from([0xf0])]).toString("base64"))?.content)
  })
})
