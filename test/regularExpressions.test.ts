import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parse } from "@babel/parser"
import { check } from "recheck"
import { afterAll, assert, describe, expect, it } from "vitest"
import { isLong } from "#test/long.ts"

// Every regular expression of the service is looked at by `recheck`, which builds an automaton of it, or tries strings
// on it that repeat what it repeats: whether the steps of a match grow faster than the text. Most of them meet text of
// strangers.

/** Expressions that may take more than linear time, with what bounds the text that they see. */
const bounded: { readonly [expression: string]: string } = {
  "/\\B(?=(?:\\d{3})+$)/g": "the digits of one number"
}

/** Files that put expressions together while they run, with why no stranger has a part in them. */
const assembled: { readonly [path: string]: string } = {
  "infra/sandbox/bubblewrap/memory.ts": "names of this file, on what the kernel says in /proc",
  "src/http/documents.ts": "names of this file, on pages of our own"
}

interface Expression {
  readonly source: string
  readonly flags: string
}

const root = new URL("..", import.meta.url)
const files = ["engine", "domain", "projections", "infra", "src"].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => `${folder}/${path}`)
)

const found = new Map<string, Expression>()
/** Where expressions are made by `RegExp`. */
const made = new Set<string>()
const nameOf = ({ source, flags }: Expression) => `/${source}/${flags}`
const note = (expression: Expression) => found.set(nameOf(expression), expression)

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === "string"

/** Every node of a syntax tree. */
function* nodesOf(root: Node): Generator<Node> {
  const left = [root]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    yield node
    for (const value of Object.values(node)) left.push(...[value].flat().filter(isNode))
  }
}

for (const path of files) {
  const { program } = parse(readFileSync(new URL(path, root), "utf8"), {
    sourceType: "module",
    plugins: ["typescript"]
  })
  for (const node of nodesOf(program as unknown as Node)) {
    if (node.type === "RegExpLiteral") note({ source: node["pattern"] as string, flags: node["flags"] as string })
    if (node.type !== "NewExpression" && node.type !== "CallExpression") continue
    const callee = node["callee"] as Node
    if (callee.type === "Identifier" && callee["name"] === "RegExp") made.add(path)
  }
}

const { RegExp: Original } = globalThis
const makers = new Map<string, number>()

/** Imports a file, and notes every expression that is made then. */
const importing = async (path: string) => {
  globalThis.RegExp = new Proxy(Original, {
    construct: (target, given) => {
      const expression = Reflect.construct(target, given) as RegExp
      const stack = new Error().stack ?? ""
      for (const maker of made) {
        if (!stack.includes(`/${maker}`)) continue
        note(expression)
        makers.set(maker, (makers.get(maker) ?? 0) + 1)
      }
      return expression
    }
  })
  try {
    await import(new URL(path, root).href)
  } finally {
    globalThis.RegExp = Original
  }
}

afterAll(() => {
  globalThis.RegExp = Original
})

/**
 * Steps of a match past which a string is an attack: a hundred for each character of the longest string that is tried
 * (300,000), which what is linear stays below, and what is quadratic passes a thousand times.
 */
const attackLimit = 30_000_000

/**
 * Steps are counted, and nothing by the clock: on a machine with much else to do a string that took long would pass for
 * an attack.
 */
const options = {
  timeout: null,
  attackTimeout: null,
  seedingTimeout: null,
  incubationTimeout: null,
  randomSeed: 1,
  attackLimit
}

/** What repeats nothing without an end takes as long as it is, at each place of a text. */
const repeats = ({ source }: Expression) => /[*+]|\{\d+,\}/.test(source)

/**
 * Those that were found to be linear, which holds of an expression for ever: they are left out, because all of them
 * take a minute. `CAIRN_LONG=1` looks at all.
 */
const checkedFile = fileURLToPath(new URL("regularExpressions.txt", import.meta.url))
const checked = new Set(existsSync(checkedFile) ? readFileSync(checkedFile, "utf8").split("\n") : [])

/**
 * Expressions that came since the list was written. Each run looks at them again: when they are more, the list is to be
 * written anew, by `npm test -- test/regularExpressions -u`.
 */
const mostUnlisted = 20

describe("regular expressions", () => {
  it("are literals, or made when their file is loaded", async () => {
    for (const path of made) {
      if (Object.hasOwn(assembled, path)) continue
      await importing(path)
      assert.isAbove(makers.get(path) ?? 0, 0, `${path} makes none when it is loaded: list it with a reason`)
    }
    for (const path of Object.keys(assembled)) assert.include([...made], path)
  })

  it("take linear time, or see no more than a bound", { timeout: 900_000 }, async () => {
    assert.isAbove(found.size, 200)
    const repeating = [...found.values()].filter(repeats)
    const unlisted = repeating.filter((one) => !checked.has(nameOf(one)))
    const left = isLong ? [...repeating] : [...unlisted]
    const slow: Array<string> = []
    const next = async (): Promise<void> => {
      for (let one = left.pop(); one !== undefined; one = left.pop()) {
        const { status, ...rest } = await check(one.source, one.flags, options)
        if (status === "safe") continue
        const why = "attack" in rest ? `${rest.complexity.summary}: ${rest.attack.pattern}` : JSON.stringify(rest)
        slow.push(`${nameOf(one)} ${why.slice(0, 300)}`)
      }
    }
    await Promise.all([next(), next()])
    assert.deepStrictEqual(
      slow.filter((line) => !Object.keys(bounded).some((expression) => line.startsWith(`${expression} `))),
      []
    )
    for (const expression of Object.keys(bounded)) {
      assert.isTrue(found.has(expression), `${expression} is not there any more`)
    }
    if (unlisted.length > mostUnlisted)
      await expect(`${repeating.map(nameOf).sort().join("\n")}\n`).toMatchFileSnapshot(checkedFile)
  })
})
