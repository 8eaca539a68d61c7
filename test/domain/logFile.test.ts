import { assert, describe, it } from "@effect/vitest"
import { logBytes, readLog } from "#domain/logFile.ts"

const read = (content: string, encoding: "utf-8" | "base64" = "base64") => {
  const { path, ...log } = readLog({ path: "run.log", content, encoding, contentType: "x/y" })
  return log
}
const base64 = (...bytes: ReadonlyArray<number>) => Buffer.from(bytes).toString("base64")

describe("log files", () => {
  it("are text as they are, or as base64 says", () => {
    assert.deepStrictEqual(read("grüße\n", "utf-8"), { contentType: "x/y", size: 8, content: "grüße\n" })
    assert.deepStrictEqual(read(Buffer.from("grüße\n").toString("base64")), read("grüße\n", "utf-8"))
    assert.strictEqual(read("b2s=", "utf-8").content, "b2s=")
    assert.strictEqual(read("").content, "")
  })

  it("are noted without content when they are no text", () => {
    assert.deepStrictEqual(read(base64(0x89, 0x50, 0x4e, 0x47, 0, 1)), { contentType: "x/y", size: 6, content: null })
    assert.strictEqual(read(base64(0x6f, 0x6b, 0)).content, null)
    assert.strictEqual(read(base64(0xc3, 0x28)).content, null)
  })

  it("may be what Windows writes", () => {
    assert.strictEqual(read(base64(0xff, 0xfe, 0x6f, 0, 0x6b, 0)).content, "ok")
    assert.strictEqual(read(base64(0xfe, 0xff, 0, 0x6f, 0, 0x6b)).content, "ok")
    assert.strictEqual(read(base64(0xff, 0xfe, 0, 0xd8, 0, 0)).content, null)
    assert.strictEqual(read(base64(0xef, 0xbb, 0xbf, 0x6f, 0x6b)).content, "ok")
  })

  it("are refused when they say base64 and are none", () => {
    const bytes = (content: string) => logBytes({ content, encoding: "base64" })
    for (const content of ["b2s", "b2s=b2s=", "b2s-", "b=s=", "====", "bäs=", "b2s\0"]) {
      assert.isUndefined(bytes(content), content)
    }
    assert.deepStrictEqual(Buffer.from(bytes("b2\r\ns=\n")!).toString(), "ok")
  })
})
