import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { Bundles } from "#projections/Bundles.ts"
import { replay } from "#src/audit/replay.ts"
import type { Call } from "#test/service/call.ts"
import { type Service, startService } from "#test/service.ts"
import { sendBundle } from "./bundle.ts"
import { refused } from "./problem.ts"
import { fine } from "./routes.ts"
import { remove } from "./store.ts"

let service: Service
let call: Call
beforeAll(async () => {
  service = await startService()
  call = service.call
})
afterAll(() => service.close())

/** A reaction follows soon, not at once. */
const patience = { timeout: 60_000 }

const erasures = (bundle: string) =>
  service.sql("SELECT 1 FROM events WHERE type = 'UploadErased' AND stream = $1", [`upload-${bundle}`])
const textsOf = async (subject: string) =>
  (await service.sql("SELECT 1 FROM payloads WHERE subject = $1", [subject])).length

describe("what a bundle is judged by", () => {
  it("is kept until the last of its snippets is deleted; the files only until they are stored", async () => {
    const binary = Buffer.from([0x89, 0x50, 0, 1]).toString("base64")
    const { status_url } = fine(
      await sendBundle(call, ["kept", "gone"], {
        log_files: [
          { path: "run.log", content: "it ran", content_type: null },
          { path: "shot.png", content: binary, encoding: "base64", content_type: "image/png" }
        ]
      })
    )
    const bundle = status_url.split("/").at(-1)
    assert.deepStrictEqual([await textsOf(`upload/${bundle}/files`), await textsOf(`upload/${bundle}`)], [0, 1])
    fine(await remove(call, "kept"))
    fine(await remove(call, "gone"))
    await vi.waitFor(async () => assert.strictEqual((await erasures(bundle)).length, 1), patience)
    assert.strictEqual(await textsOf(`upload/${bundle}`), 0)
    refused(await call("GET", status_url), 404, "not_found/status")
    // of two uploads of one snippet, both go with it
    const again = [
      fine(await sendBundle(call, ["shared"])),
      fine(await sendBundle(call, ["shared"], { prompts: ["more"] }))
    ]
    fine(await remove(call, "shared"))
    for (const { status_url } of again) {
      const id = status_url.split("/").at(-1)
      await vi.waitFor(async () => assert.strictEqual(await textsOf(`upload/${id}`), 0), patience)
    }
    // and that of a bundle with snippets left stays
    const left = fine(await sendBundle(call, ["leaving", "staying"]))
    fine(await remove(call, "leaving"))
    const last = fine(await sendBundle(call, ["marker"]))
    fine(await remove(call, "marker"))
    // reactions go in order: when the marker's is gone, the one before has been looked at
    await vi.waitFor(
      async () => assert.strictEqual(await textsOf(`upload/${last.status_url.split("/").at(-1)}`), 0),
      patience
    )
    assert.strictEqual(await textsOf(`upload/${left.status_url.split("/").at(-1)}`), 1)
  })

  it("is in a read model that the log gives again", async () => {
    const { differences, events } = await service.run(replay(Bundles, { promote: false, progress: () => {} }))
    assert.deepStrictEqual(differences, [])
    assert.strictEqual(events, 9)
  })

  it("is nowhere in what the service logs", () => {
    const log = service.log.join("\n")
    for (const word of ["Write kept", "it ran", "Does gone"]) assert.notInclude(log, word)
  })
})
