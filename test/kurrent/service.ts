import { afterAll, assert, beforeAll } from "vitest"
import { type Service, startService } from "#test/service.ts"
import { ProtocolDouble } from "./ProtocolDouble.ts"

/** A service of these tests, on a double of KurrentDB's protocol, which in the end has refused nothing. */
export const serviceOnDouble = () => {
  const double = new ProtocolDouble()
  let service: Service
  beforeAll(async () => {
    await double.start()
    service = await startService({ KURRENTDB_URL: double.url })
  })
  afterAll(async () => {
    await service.close()
    double.stop()
    assert.deepStrictEqual(double.refused, [])
  })
  return {
    double,
    get service() {
      return service
    },
    /** Stops it, and starts it again on what it had. */
    restart: async () => {
      await service.stop()
      service = await startService({ KURRENTDB_URL: double.url }, service)
    }
  }
}
