import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { ownerKey, type Service, startService } from "../../../test/service.ts"
import { headersOf, type Known, requests } from "./requests.ts"

/** What is at a path, of each where a part is a list; a problem where it is not there. */
const problemsAt = (value: unknown, path: string): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const look = (at: unknown, [part, ...rest]: ReadonlyArray<string>): void => {
    if (part === undefined) return
    const optional = part.endsWith("?")
    const name = part.replace(/(\[\])?\??$/, "")
    const found = (at as Record<string, unknown> | null)?.[name]
    if (part.endsWith("[]")) {
      if (!Array.isArray(found) || found.length === 0) problems.push(`${path}: ${name} is ${JSON.stringify(found)}`)
      else for (const one of found) look(one, rest)
    } else if (found == null && !optional) problems.push(`${path}: ${name} is ${JSON.stringify(found)}`)
    else look(found, rest)
  }
  look(value, path.split("."))
  return problems
}

/** Of all entries of a list the first: others are other tests' or have no review. */
const withFirst = (path: string, value: unknown): unknown =>
  Object.fromEntries(
    Object.entries(value as object).map(([name, given]) => [
      name,
      Array.isArray(given) && path.startsWith(`${name}[]`) ? given.slice(0, 1) : given
    ])
  )

describe("a request of the existing TypeScript client, whose published package has no code", () => {
  let service: Service
  let known: Known = {
    task: "read the rows of a wombat file",
    source: "/** Reads rows. */\nexport const wombatRows = (text: string): string[] => text.split('\\n')\n",
    snippet: "",
    execution: ""
  }
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it.each(requests.map((request) => [request.by, request] as const))("has its answer: %s", async (_, sent) => {
    const answer = await fetch(`${service.url}${sent.path}`, {
      method: "POST",
      headers: headersOf(ownerKey),
      body: JSON.stringify(sent.body(known))
    })
    const json = await answer.json()
    assert.strictEqual(answer.status, 200, JSON.stringify(json))
    for (const path of sent.reads) assert.deepStrictEqual(problemsAt(withFirst(path, json), path), [])
    if (sent.by === "search") known = { ...known, snippet: json.matches[0].code_block.id }
    if (sent.path === "/api/store/execution" && known.execution === "")
      known = { ...known, execution: json.execution_id }
  })

  it("needs no key where it asks for what is public", async () => {
    const { Authorization: _, ...headers } = headersOf(ownerKey)
    const answer = await fetch(`${service.url}/api/snippets/public/list`, {
      method: "POST",
      headers,
      body: JSON.stringify({ sort_by: "recent", offset: 0, limit: 20 })
    })
    assert.strictEqual(answer.status, 200)
  })
})
