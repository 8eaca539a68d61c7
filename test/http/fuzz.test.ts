import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "#src/api/Api.ts"
import { type Example, examples } from "#src/api/document.ts"
import { statusOf } from "#src/api/Problem.ts"
import { isLong } from "#test/long.ts"
import { type Answer, ownerKey, type Service, startService } from "#test/service.ts"
import { mutated, nasty, pick, type Random, random } from "./fuzz/mutate.ts"
import { refused } from "./problem.ts"

/** Another one finds other inputs; a failure names the one that it was found with. */
const seed = Number(process.env["CAIRN_FUZZ_SEED"] ?? 20_261_121)
/** Requests of each operation: CI sends as many as meet each kind of nasty value somewhere. */
const times = Number(process.env["CAIRN_FUZZ_TIMES"] ?? (isLong ? 100 : 20))

interface Endpoint {
  readonly identifier: string
  readonly method: string
  readonly path: string
  readonly success: ReadonlySet<Schema.Top>
}

interface Operation extends Endpoint {
  readonly id: string
  readonly example: Example
  readonly query: ReadonlyArray<string>
}

const spec = OpenApi.fromApi(Api)

const operations: ReadonlyArray<Operation> = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints as unknown as Record<string, Endpoint>).map((endpoint) => {
    const id = `${group.identifier}.${endpoint.identifier}`
    const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}")
    // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked as the JSON that it is
    const described = (spec.paths as any)[path]?.[endpoint.method.toLowerCase()]
    assert.isDefined(described, `${endpoint.method} ${path} is not in the document`)
    const parameters = described.parameters as ReadonlyArray<{ in: string; name: string }>
    const query = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name)
    return { ...endpoint, id, query, example: examples.get(id) ?? {} }
  })
)

const service: { current?: Service } = {}
beforeAll(async () => {
  service.current = await startService()
})
afterAll(async () => {
  const { log, close } = service.current!
  // a run that is told to fail may say so; what a caller sent it never says
  for (const line of log) assert.notMatch(line, /DROP TABLE|passwd|X-Injected|alert\(1\)|😀/u)
  await close()
})

/** One answer, of which an endless one is left after its head. */
const send = async (method: string, path: string, body: string | undefined): Promise<Answer> => {
  const leave = new AbortController()
  const response = await fetch(service.current!.url + path, {
    method,
    headers: {
      authorization: `Bearer ${ownerKey}`,
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body }),
    signal: leave.signal
  })
  const { status, headers } = response
  if (headers.get("content-type")?.startsWith("text/event-stream") === true) {
    leave.abort()
    return { status, headers, text: "", json: undefined }
  }
  const text = await response.text()
  const isJson = headers.get("content-type")?.startsWith("application/json") === true
  return { status, headers, text, json: isJson ? JSON.parse(text) : undefined }
}

const isRight = (success: ReadonlySet<Schema.Top>, json: unknown): boolean =>
  [...success].some((schema) => {
    try {
      Schema.decodeUnknownSync(Schema.toCodecJson(schema) as unknown as Schema.Codec<unknown, unknown>)(json)
      return true
    } catch {
      return false
    }
  })

const codes = new Set<string>(Object.keys(statusOf))

/** An answer that a client can live with: a right one, or a refusal in the one error body. */
const checked = (operation: Operation, answer: Answer, said: string) => {
  const { status, json, text } = answer
  const what = `${operation.id} answered ${status} ${text.slice(0, 300)} to ${said.slice(0, 500)} (CAIRN_FUZZ_SEED=${seed})`
  if (status < 300) {
    if (json !== undefined) assert.isTrue(isRight(operation.success, json), what)
    return
  }
  assert.isAtLeast(status, 400, what)
  assert.isBelow(status, 500, what)
  assert.isTrue(codes.has(json?.code), what)
  assert.strictEqual(statusOf[json.code as keyof typeof statusOf], status, what)
  refused(answer, status, json.code)
}

const hostileParts = [
  ...["%00", "..", "%2e%2e%2f", "a%2Fb", "%ff%fe", "x".repeat(2_000), "-1", "1e9", "NaN", "%F0%9F%98%80", "null"],
  ...["00000000-0000-4000-8000-000000000000", "' OR 1=1 --".replaceAll(" ", "%20"), "0".repeat(40), "[]", "{}"]
]

/** Part of a path: one that is `..` is no part of it for a client, which asks another operation then. */
const hostilePart = (random: Random): string => {
  const part = pick(random, hostileParts)
  return part === ".." ? "%2e%2e%2f" : part
}

const pathOf = (random: Random, { path, example, query }: Operation): string => {
  const filled = path
    .replaceAll(/:(\w+)/g, (_, name: string) =>
      random() < 0.6 ? hostilePart(random) : encodeURIComponent(example.parameters?.[name] ?? "x")
    )
    .replace("*", () => hostilePart(random))
  const pairs = query
    .filter(() => random() < 0.7)
    .flatMap((name) => (random() < 0.1 ? [name, name] : [name]))
    .map((name) => `${name}=${pick(random, hostileParts)}`)
  return pairs.length === 0 ? filled : `${filled}?${pairs.join("&")}`
}

const spoiled = (random: Random, text: string): string => {
  const way = random()
  if (way > 0.08) return text
  if (way > 0.06) return `{"task":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
  return way < 0.02 ? text.slice(0, Math.floor(random() * text.length)) : way < 0.04 ? `${text}}` : `[${text}]`
}

describe("whatever a request holds, its answer is right or a refusal in the one error body", () => {
  it.each(operations.map((operation) => [operation.id, operation] as const))("%s", async (id, operation) => {
    const next = random(seed + [...id].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7))
    const { method, example } = operation
    const reads = method === "GET"
    for (let time = 0; time < times; time++) {
      const path = pathOf(next, operation)
      const given = next() < 0.05 ? nasty(next) : mutated(next, example.request ?? {})
      const body = reads ? undefined : spoiled(next, JSON.stringify(given))
      checked(operation, await send(method, path, body), `${path} ${body ?? ""}`)
    }
  })

  it("and every operation that takes a body has an example to begin with", () => {
    for (const { id, method, path } of operations) {
      const described = (spec.paths as never)[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()] as
        | { requestBody?: unknown }
        | undefined
      if (described?.requestBody !== undefined) assert.isDefined(examples.get(id)?.request, id)
    }
  })
})
