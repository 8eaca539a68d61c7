import { assert, it } from "vitest"
import { RaySurfer } from "../../../clients/typescript/src/compat/index.ts"
import { key } from "./stub.ts"

/** The uploads of one call, as they are sent. */
const uploading = () => {
  // biome-ignore lint/suspicious/noExplicitAny: a request is looked at field by field
  const sent: Array<any> = []
  const fetch = async (_: string, init: RequestInit) => {
    sent.push(JSON.parse(String(init.body)))
    return Response.json({ success: true, code_blocks_stored: 1, message: "" })
  }
  return { client: new RaySurfer({ apiKey: key, baseUrl: "http://cairn.test", fetch }), sent }
}

it("the snippets that were used are told with the first of several files: each gets one vote", async () => {
  const filesWritten = ["a.py", "b.py", "c.py"].map((path) => ({ path, content: `print("${path}")\n` }))
  const cachedCodeBlocks = [{ codeBlockId: "one", filename: "one.py" }, { codeBlockId: "two" }]
  const told = [{ code_block_id: "one", filename: "one.py" }, { code_block_id: "two" }]
  for (const upload of [
    (client: RaySurfer) => client.upload({ task: "t", filesWritten, succeeded: true, cachedCodeBlocks }),
    (client: RaySurfer) => client.uploadNewCodeSnips("t", filesWritten, true, cachedCodeBlocks)
  ]) {
    const { client, sent } = uploading()
    await upload(client)
    assert.deepStrictEqual(
      sent.map(({ file_written, cached_code_blocks }) => [file_written.path, cached_code_blocks]),
      [
        ["a.py", told],
        ["b.py", undefined],
        ["c.py", undefined]
      ]
    )
  }
  const { client, sent } = uploading()
  await client.upload({ task: "t", fileWritten: filesWritten[0], succeeded: true, cachedCodeBlocks })
  assert.deepStrictEqual(sent[0].cached_code_blocks, told)
})
