import { assert, describe, it } from "@effect/vitest"
import { faultOf } from "#infra/kurrent/Fault.ts"

const kindOf = (message: string, code?: number) => faultOf(Object.assign(new Error(message), { code })).kind

describe("a fault of KurrentDB", () => {
  it("passes, where a server says so by gRPC's numbers, or by the words of the client's native half", () => {
    for (const code of [1, 4, 8, 10, 13, 14, 15]) assert.strictEqual(kindOf("no words", code), "passes", String(code))
    for (const words of [
      "Unmapped gRPC error: code: The operation was aborted, message: x.",
      "Unmapped gRPC error: code: Some resource has been exhausted, message: x.",
      "2 UNKNOWN: No leader info available in response",
      "connect ECONNREFUSED 127.0.0.1:2113",
      "Failed to discover after 10 attempts."
    ])
      assert.strictEqual(kindOf(words), "passes", words)
  })

  it("does not pass where the same again would come to nothing again", () => {
    assert.strictEqual(kindOf("no words", 16), "denied")
    assert.strictEqual(kindOf("no words", 7), "denied")
    for (const code of [2, 3, 5, 6, 9, 11, 12]) assert.strictEqual(kindOf("no words", code), "other", String(code))
  })

  it("says what TLS lacks in words that help, and does not pass", () => {
    const told = (message: string) => {
      const { kind, message: said } = faultOf(new Error(message))
      assert.strictEqual(kind, "other", message)
      return said
    }
    assert.strictEqual(
      told("The property 'options.servername' must not be an IP address. Received '127.0.0.1'"),
      "with TLS it has to be named by its host's name, not by an IP address"
    )
    assert.match(told("self-signed certificate"), /^its certificate is not vouched for/)
  })
})
