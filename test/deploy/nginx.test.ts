import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { send } from "#test/service/call.ts"
import { type Service, startService } from "#test/service.ts"
import { hasNginx, startNginx } from "./nginx.ts"

describe.skipIf(!hasNginx)("nginx before a service", () => {
  let service: Service
  let proxy: Awaited<ReturnType<typeof startNginx>>
  beforeAll(async () => {
    service = await startService({ CAIRN_TRUSTED_PROXIES: "127.0.0.1" })
    proxy = await startNginx({ services: [Number(new URL(service.url).port)] })
  })
  afterAll(async () => {
    await proxy?.close()
    await service?.close()
  })

  it("passes health", async () => {
    const { status, json } = await send(proxy.url, "GET", "/health", undefined, {})
    assert.deepStrictEqual([status, json], [200, { status: "healthy" }])
  })
})
