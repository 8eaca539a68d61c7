import { assert, describe, it, layer as sharing } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { scanForSecrets } from "#infra/analysis/secretRules/job.ts"
import { layer } from "#infra/analysis/secretRules/layer.ts"
import * as Workers from "#infra/workers/layer.ts"
import { TookTooLong } from "#ports/JobFaults.ts"
import { SecretScan } from "#ports/SecretScan.ts"
import { Workers as WorkersPort } from "#ports/Workers.ts"
import { harmless } from "../secrets/harmless.ts"
import { type Sample, samplesOfKind, secrets } from "../secrets/surroundings.ts"
import { contract } from "./SecretScan.contract.ts"

contract("rules in a worker", Layer.provide(layer, Workers.layer))

const found = async (samples: ReadonlyArray<Sample>) => {
  const missed: Array<Sample> = []
  const kinds: Array<string> = []
  for (const sample of samples) {
    const secrets = await scanForSecrets(sample.path, sample.text)
    if (secrets.length === 0) missed.push(sample)
    for (const { kind } of secrets) kinds.push(kind)
  }
  return { count: samples.length - missed.length, missed, kinds }
}

describe("the rules", () => {
  it.each(secrets())("find %s, of 60 samples at least 57", async (kind, samples) => {
    const { count, missed } = await found(samples)
    console.log(`recall\t${kind}\t${count} of ${samplesOfKind}`)
    // keys have a form that nothing else has
    const least = kind.startsWith("private key") ? samplesOfKind : 57
    assert.isAtLeast(count, least, JSON.stringify(missed[0]))
  })

  it.each(harmless())("find nothing in %s", async (kind, samples) => {
    const { count, kinds } = await found(samples)
    console.log(`false positives\t${kind}\t${count} of ${samplesOfKind}`)
    assert.deepStrictEqual([...new Set(kinds)], [])
  })

  it("tell kinds and lines, and nothing of the secret", async () => {
    for (const [, samples] of secrets()) {
      for (const { path, text } of samples.slice(0, 3)) {
        for (const { kind, line } of await scanForSecrets(path, text)) {
          assert.isAtMost(line, text.split("\n").length)
          assert.match(kind, /^[A-Za-z0-9][\w .:,#()/-]{2,60}$/)
          for (const word of text.split(/\W+/)) if (word.length > 15) assert.notInclude(kind, word)
        }
      }
    }
  })
})

const pumps = [
  ...[
    "password=",
    "secret: ",
    "key",
    "token ",
    "export PASSWORD=",
    "PuTTY-User-Key-File-2",
    "MII",
    "LS0tLS1CRUdJTi",
    "://a:b"
  ],
  ...[
    "eyJhbGciOi.",
    "machine a login b password ",
    "curl -u a:",
    "x-api-key: ",
    '"kty"',
    '"d":"',
    "kind: secret data: ",
    "ya29."
  ],
  ...["-----BEGIN EC PRIVATE KEY-----\n", "define('key", "_auth=", "authorization: bearer ", "sk-ant-api03", "xoxb-1"]
]

sharing(Layer.provide(layer, Workers.layer))("a text made to take long", (it) => {
  it.effect.each(pumps)("a quarter of a MiB of %j is looked through to its end", (pump) =>
    Effect.gen(function* () {
      const text = pump.repeat(Math.ceil(262_144 / pump.length))
      // given up, it would be a ScanFailed
      yield* (yield* SecretScan).scan("a.yaml", text)
    })
  )
})

describe("a text", () => {
  it.effect("that is given up by its worker is not said to be clean", () => {
    const tired = Layer.succeed(WorkersPort, {
      run: (job: string) => Effect.fail(new TookTooLong({ job, reason: "time" }))
    } as never)
    return Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip((yield* SecretScan).scan("a.py", "x")))._tag, "ScanFailed")
    }).pipe(Effect.provide(Layer.provide(layer, tired)))
  })
})
