import { assert, it } from "@effect/vitest"
import { networkOf } from "#src/http/middleware/addressRate.ts"

it.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:127.0.0.1", "127.0.0.1"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:DB8::6", "2001:db8:0:0"],
  ["fe80::", "fe80:0:0:0"],
  ["", ""]
])("a client at %j is counted as %j", (address, network) => {
  assert.strictEqual(networkOf(address), network)
})
