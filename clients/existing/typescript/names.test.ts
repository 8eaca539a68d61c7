import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { tsc } from "../../../test/clients/typescript/project.ts"
import * as compat from "../../typescript/src/compat/index.ts"
import { leftOut, methods, types, values } from "./names.ts"

const kept = (names: ReadonlyArray<string>) => names.filter((name) => !(name in leftOut))
const gone = (names: ReadonlyArray<string>) => names.filter((name) => name in leftOut)
const own: { readonly [name: string]: unknown } = compat

describe("cairn-client/compat", () => {
  it("has each value of the existing client, or says why not", () => {
    assert.deepStrictEqual(
      values.filter((name) => own[name] === undefined),
      gone(values)
    )
  })

  it("has each method of the low-level client, or says why not", () => {
    assert.deepStrictEqual(
      methods.filter((name) => !(name in compat.RaySurfer.prototype)),
      gone(methods)
    )
  })

  it("leaves out nothing else", () => {
    assert.sameMembers(Object.keys(leftOut), gone([...values, ...types, ...methods]))
  })

  it("has each type of the existing client, or says why not", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cairn-names-"))
    const module = JSON.stringify(fileURLToPath(new URL("../../typescript/src/compat/index.ts", import.meta.url)))
    const strict = ["--strict", "--noEmit", "--skipLibCheck", "--module", "nodenext", "--allowImportingTsExtensions"]
    const imported = (name: string) => `export type { ${name} } from ${module}\n`
    try {
      writeFileSync(join(folder, "kept.ts"), kept(types).map(imported).join(""))
      await tsc(folder, ...strict, "--target", "es2024", "kept.ts")
      writeFileSync(join(folder, "gone.ts"), gone(types).map(imported).join(""))
      const said = await tsc(folder, ...strict, "--target", "es2024", "gone.ts").then(
        () => "",
        ({ message }: Error) => message
      )
      for (const name of gone(types)) assert.include(said, `'${name}'`, "it is no longer left out")
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
