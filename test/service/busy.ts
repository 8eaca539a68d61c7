import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setImmediate } from "node:timers"

// A server that always has more to do: each answer tells how often its event loop has gone round.
let rounds = 0
const work = () => {
  const end = performance.now() + 10
  while (performance.now() < end);
  rounds += 1
  setImmediate(work)
}
const server = createServer((_, response) => response.end(String(rounds)))
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
  work()
})
