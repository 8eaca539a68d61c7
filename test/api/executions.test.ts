import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { ExecutionEvent } from "#domain/Execution.ts"
import { RecordRequest } from "#src/api/Executions.ts"

/** An object that counts how often its members are read. */
const counting = () => {
  const counts = { reads: 0 }
  const read = {
    enumerable: true,
    get: () => {
      counts.reads += 1
      return 1
    }
  }
  const value: object = Object.defineProperties({}, Object.fromEntries([..."abcdefghij"].map((name) => [name, read])))
  return { counts, value }
}

const decode = Schema.decodeUnknownSync(RecordRequest as unknown as Schema.Codec<typeof RecordRequest.Type, unknown>, {
  errors: "all"
})

describe("what a run took and gave", () => {
  it("is gone through once when it is received, for its size", () => {
    const { counts, value } = counting()
    const { io } = decode({ code_block_id: "a", triggering_task: "t", io: { input_data: value, output_data: value } })
    assert.strictEqual(counts.reads, 20)
    assert.strictEqual(io.input_data as unknown, value)
  })

  it("is not gone through by the schema of its event", () => {
    const { counts, value } = counting()
    const event = {
      _tag: "ExecutionRecorded",
      execution: "e",
      snippet: null,
      home: "h",
      user: null,
      subject: "s",
      state: "completed",
      duration: 1,
      verdict: null,
      text: {
        codeBlock: "c",
        task: "t",
        input: value,
        inputHash: "",
        output: value,
        outputHash: "",
        outputType: "",
        errorMessage: null,
        errorType: null,
        agent: null,
        review: null
      }
    }
    const schema = ExecutionEvent.cases.ExecutionRecorded
    Schema.encodeSync(schema)(Schema.decodeUnknownSync(schema)(event))
    assert.strictEqual(counts.reads, 0)
  })
})
