import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger } from "effect"
import { EventStore } from "#engine/ports/EventStore.ts"
import { fresh, revisions, to } from "../../engine/appends.ts"
import { ProtocolDouble } from "../../kurrent/ProtocolDouble.ts"
import { storeAt } from "../../kurrent/stores.ts"
import { freshClient } from "../stores.ts"

/** A CA, and a certificate of it for `localhost`. */
const certified = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "cairn-kurrent-tls-"))
    const openssl = (...args: ReadonlyArray<string>) => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" })
    const made = ["req", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    openssl(...made, "-x509", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test CA")
    openssl(...made, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=localhost")
    writeFileSync(join(folder, "names"), "subjectAltName=DNS:localhost")
    const signing = ["x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"]
    openssl(...signing, "-out", "cert.pem", "-days", "2", "-extfile", "names")
    return { folder, key: readFileSync(join(folder, "key.pem")), cert: readFileSync(join(folder, "cert.pem")) }
  }),
  ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const password = "a word:of mine"

describe.skipIf(process.versions["deno"] !== undefined)("a KurrentDB with TLS", () => {
  it.live("is trusted by the CA that is named, and no other; credentials are sent by each call, and said nowhere", () =>
    Effect.gen(function* () {
      const { folder, key, cert } = yield* certified
      const double = new ProtocolDouble()
      double.tls = { key, cert, name: "cairn", password }
      yield* Effect.acquireRelease(
        Effect.promise(() => double.start()),
        () => Effect.sync(() => double.stop())
      )
      const lines: Array<string> = []
      const told = Layer.merge(
        Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))]),
        freshClient
      )
      const at = (user: string, options = "") => `kurrentdb://${user}@localhost:${double.port}${options}`
      const [mine, ca] = [`cairn:${encodeURIComponent(password)}`, `?tlsCAFile=${join(folder, "ca.pem")}`]
      const building = (url: string) => Layer.build(Layer.fresh(storeAt(url)))
      const refusal = (url: string) =>
        Effect.map(Effect.flip(building(url)), (error) => {
          assert.strictEqual(error._tag, "EngineUnusable")
          return (error as { readonly message: string }).message
        })
      const proof = Effect.gen(function* () {
        assert.match(yield* refusal(at(mine)), /certificate/)
        assert.lengthOf(double.calls, 0)
        assert.match(yield* refusal(at("cairn:wrong-word", ca)), /does not let this user read everything/)
        assert.match(yield* refusal(at(mine, "?tlsCAFile=/nowhere/ca.pem")), /KURRENTDB_URL is wrong: .*certificate/)
        // a plain connection to it is none
        yield* refusal(`kurrentdb://127.0.0.1:${double.port}?tls=false`)
        const store = Context.get(yield* building(at(mine, ca)), EventStore)
        const stream = fresh()
        yield* store.append(to(stream))
        assert.deepStrictEqual(revisions((yield* store.readStream(stream, -1)).events), [0])
        while (double.subscribed === 0) yield* Effect.sleep("2 millis")
        // and by who says so, without one
        yield* building(at(mine, "?tlsVerifyCert=false"))
      })
      yield* Effect.provide(proof, told)
      assert.notMatch(lines.join("\n"), /of mine|of%20mine|wrong-word/)
      assert.deepStrictEqual(double.refused, [])
    }).pipe(Effect.scoped)
  )
})
