import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { source } from "./project.ts"

const sources = join(source, "src")
const read = (path: string) => readFileSync(join(sources, path), "utf8")

/** What entries export, under the names that the sources have. */
const exportedBy = (...entries: ReadonlyArray<string>) =>
  new Set(
    entries.flatMap((entry) =>
      [...read(entry).matchAll(/export (?:type )?\{([^}]+)\}/g)].flatMap(([, list]) =>
        list!.split(",").map((name) => name.trim().split(" as ")[0]!.replace("type ", ""))
      )
    )
  )
const names = exportedBy("index.ts", "compat/index.ts")
/** What has no meaning beyond that of the language. */
const plain = new Set(["name", "constructor", "then", "catch", "finally"])

interface Declared {
  readonly name: string
  readonly documented: boolean
}

/** What a file declares of these names, and the members of it that users see. */
const declared = (text: string): ReadonlyArray<Declared> => {
  const found: Array<Declared> = []
  let owner: string | undefined
  let before = ""
  for (const line of text.split("\n")) {
    const documented = before.trim().endsWith("*/")
    const begun = /^export (?:interface|class|type|const) (\w+)/.exec(line)?.[1]
    if (begun !== undefined && names.has(begun)) {
      owner = /^export (?:interface|class).*\{$/.test(line) ? begun : undefined
      // a constant and a type of the same name are one to users
      if (!found.some(({ name }) => name === begun)) found.push({ name: begun, documented })
    }
    const member = /^ {2}(?:override |readonly |static )*(?:async )?(\w+)\??[:(<]/.exec(line)?.[1]
    if (owner !== undefined && member !== undefined && !plain.has(member)) {
      found.push({ name: `${owner}.${member}`, documented })
    }
    if (line.startsWith("}")) owner = undefined
    if (line.trim() !== "" && !line.trim().startsWith("// biome-ignore")) before = line
  }
  return found
}

const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"))
const all = files.filter((path) => !path.startsWith("agent/")).flatMap((path) => declared(read(path)))

describe("what users see", () => {
  it("is found here", () => {
    const found = new Set(all.map(({ name }) => name))
    for (const name of names) {
      if (!/^(agentAccessible|toAnthropicTool|setTrackingClient|publishFunctionRegistry|query)$/.test(name)) {
        assert.isTrue(found.has(name), name)
      }
    }
    for (const name of ["CairnOptions.timeout", "SearchParams.topK", "Cairn.search", "RateLimitError.retryAfter"]) {
      assert.isTrue(found.has(name), name)
    }
  })

  it("says on hover what it is", () => {
    assert.deepStrictEqual(
      all.filter(({ documented }) => !documented).map(({ name }) => name),
      []
    )
  })

  it("leads to what they can look up, and to members that are there", () => {
    const shown = exportedBy("index.ts", "compat/index.ts", "agent/index.ts", "compat/agent.ts")
    const members = new Set(all.map(({ name }) => name))
    const links = files.flatMap((path) =>
      [...read(path).matchAll(/\{@link ([\w.]+)/g)].map(([, target]) => [path, target!] as const)
    )
    assert.isAbove(links.length, 50)
    assert.deepStrictEqual(
      links.filter(([, target]) => !(target.includes(".") ? members : shown).has(target)),
      []
    )
  })
})
