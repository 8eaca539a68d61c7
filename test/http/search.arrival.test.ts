import { once } from "node:events"
import { connect } from "node:net"
import { afterAll, assert, beforeAll, it } from "vitest"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { stored } from "./store.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

it("a search sees what was written before its body came, whenever its head did", async () => {
  const { port } = new URL(service.url)
  const body = JSON.stringify({ task: "polish a theremin" })
  const socket = connect(Number(port), "127.0.0.1")
  const head = [
    "POST /api/retrieve/search HTTP/1.1",
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${ownerKey}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
    "connection: close"
  ]
  socket.write(`${head.join("\r\n")}\r\n\r\n`)
  for (let n = 0; n < 3; n++) {
    const content = `def theremin${n}(rag):\n    return rag\n`
    await stored(service.call, `theremin${n}`, {
      task: "polish a theremin",
      file_written: { path: `theremin${n}.py`, content }
    })
  }
  socket.write(body)
  let text = ""
  socket.setEncoding("utf8").on("data", (some: string) => {
    text += some
  })
  await once(socket, "close")
  assert.match(text, /^HTTP\/1.1 200/)
  for (let n = 0; n < 3; n++) assert.include(text, `"name":"theremin${n}"`)
})
