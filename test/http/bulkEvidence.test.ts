import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { Uploads } from "#projections/Uploads.ts"
import { replay } from "#src/audit/replay.ts"
import type { Call } from "#test/service/call.ts"
import { type Service, startService } from "#test/service.ts"
import { sendBulk } from "./bulk.ts"
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

const erasures = (upload: string) =>
  service.sql("SELECT 1 FROM events WHERE type = 'UploadErased' AND stream = $1", [`upload-${upload}`])
const textsOf = async (subject: string) =>
  (await service.sql("SELECT 1 FROM payloads WHERE subject = $1", [subject])).length

describe("what a bulk upload is judged by", () => {
  it("is kept until the last of its snippets is deleted; the files only until they are stored", async () => {
    const binary = Buffer.from([0x89, 0x50, 0, 1]).toString("base64")
    const { status_url } = fine(
      await sendBulk(call, ["kept", "gone"], {
        log_files: [
          { path: "run.log", content: "it ran", content_type: null },
          { path: "shot.png", content: binary, encoding: "base64", content_type: "image/png" }
        ]
      })
    )
    const upload = status_url.split("/").at(-1)
    assert.deepStrictEqual([await textsOf(`upload/${upload}/files`), await textsOf(`upload/${upload}`)], [0, 1])
    fine(await remove(call, "kept"))
    fine(await remove(call, "gone"))
    await vi.waitFor(async () => assert.strictEqual((await erasures(upload)).length, 1), patience)
    assert.strictEqual(await textsOf(`upload/${upload}`), 0)
    refused(await call("GET", status_url), 404, "not_found/status")
    // of two uploads of one snippet, both go with it
    const again = [
      fine(await sendBulk(call, ["shared"])),
      fine(await sendBulk(call, ["shared"], { prompts: ["more"] }))
    ]
    fine(await remove(call, "shared"))
    for (const { status_url } of again) {
      const id = status_url.split("/").at(-1)
      await vi.waitFor(async () => assert.strictEqual(await textsOf(`upload/${id}`), 0), patience)
    }
    // and that of an upload with snippets left stays
    const left = fine(await sendBulk(call, ["leaving", "staying"]))
    fine(await remove(call, "leaving"))
    const last = fine(await sendBulk(call, ["marker"]))
    fine(await remove(call, "marker"))
    // reactions go in order: when the marker's is gone, the one before has been looked at
    await vi.waitFor(
      async () => assert.strictEqual(await textsOf(`upload/${last.status_url.split("/").at(-1)}`), 0),
      patience
    )
    assert.strictEqual(await textsOf(`upload/${left.status_url.split("/").at(-1)}`), 1)
  })

  it("is in a read model that the log gives again", async () => {
    const { differences, events } = await service.run(replay(Uploads, { promote: false, progress: () => {} }))
    assert.deepStrictEqual(differences, [])
    assert.strictEqual(events, 9)
  })

  it("is nowhere in what the service logs", () => {
    const log = service.log.join("\n")
    for (const word of ["Write kept", "it ran", "Does gone"]) assert.notInclude(log, word)
  })
})
