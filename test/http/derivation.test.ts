import { afterAll, assert, beforeAll, it } from "vitest"
import { annotate } from "#domain/functions/annotate.ts"
import type { Call } from "#test/service/call.ts"
import { type Service, startService } from "#test/service.ts"
import { findByName, stored } from "./store.ts"

let service: Service
let call: Call
beforeAll(async () => {
  service = await startService()
  call = service.call
})
afterAll(() => service.close())

const source = `import csv
import requests


def late_orders(path: str) -> list[str]:
    """Finds late orders.

    Args:
        path: Where they are.
    """
    if (rows := list(csv.reader(open(path)))):
        requests.post("x", rows)
    return rows
`

it("an upload is stored with what its source shows, the uploader's tags first", async () => {
  const file_written = { path: "orders.py", content: source }
  await stored(call, "unused", { task: "find late orders", file_written, tags: ["orders", "csv"] })
  const found = await findByName(call, "late_orders")
  assert.deepInclude(found!.code_block, {
    tags: ["orders", "csv", "requests"],
    capabilities: ["Finds late orders", "CSV files", "network access", "filesystem"],
    language_version: "3.8+",
    input_schema: {
      type: "object",
      properties: { path: { type: "string", description: "Where they are." } },
      required: ["path"]
    },
    output_schema: { type: "array", items: { type: "string" } }
  } as never)
})

it("a file that a search has annotated is the same snippet", async () => {
  const note = { thumbsUp: 2, thumbsDown: 0, calls: 3, errors: [{ text: "KeyError", count: 1 }] }
  const fingerprint = `fn_${"ab".repeat(32)}`
  const annotated = annotate(source, "python", [{ ...note, fingerprint, commentLine: 5 }])
  assert.notStrictEqual(annotated, source)
  const file_written = { path: "again.py", content: annotated }
  await stored(call, "unused", { task: "an errand of its own", file_written })
  const found = await findByName(call, "late_orders")
  assert.strictEqual(found!.code_block.source, source)
  assert.deepStrictEqual(found!.code_block.example_queries, ["find late orders", "an errand of its own"])
})
