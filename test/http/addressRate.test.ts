import { assert, it } from "@effect/vitest"
import { clientOf } from "#src/http/middleware/addressRate.ts"

it.each([
  ["203.0.113.7", undefined, "203.0.113.7"],
  ["203.0.113.7", "198.51.100.1", "203.0.113.7"],
  ["127.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["::1", "10.0.0.1, 198.51.100.2", "198.51.100.2"],
  ["::ffff:127.0.0.1", "", "127.0.0.1"],
  ["::ffff:203.0.113.7", undefined, "203.0.113.7"],
  ["127.0.0.1", " , ", "127.0.0.1"],
  ["2001:db8:1:2:3:4:5:6", undefined, "2001:db8:1:2"],
  ["2001:DB8::6", undefined, "2001:db8:0:0"],
  ["fe80::", undefined, "fe80:0:0:0"],
  ["", undefined, ""]
])("the client of a request from %j that was forwarded for %j is %j", (peer, forwarded, client) => {
  assert.strictEqual(clientOf(peer, forwarded), client)
})
