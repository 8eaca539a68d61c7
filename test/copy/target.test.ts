import { assert, it } from "vitest"
import { unusableTarget } from "#src/cli/copy/target.ts"
import { readConfig } from "#src/config/config.ts"

it("why a target can't be had is told without its password, as it stands in the URL and as it is", () => {
  const config = readConfig({ DATABASE_URL: "postgres://cairn:ge%40heim%2Fwort@127.0.0.1:5432/cairn?password=anderes" })
  for (const told of ["ge@heim/wort", "ge%40heim%2Fwort", "anderes"]) {
    const { message } = unusableTarget(config)(new Error(`"${told}" opens nothing at DATABASE_URL`))
    assert.strictEqual(message, `The copy can't be made: "…" opens nothing at CAIRN_COPY_TO`)
  }
})
