import { readFileSync } from "node:fs"
import { Client, ClusterConnectionPool, HttpConnection } from "@elastic/elasticsearch"
import { Context, Data, Effect, Redacted, Schedule, type Scope } from "effect"
import { areCertificates } from "#ports/certificate.ts"
import type { ElasticsearchSettings } from "#ports/ElasticsearchSettings.ts"
import { EngineUnusable } from "#ports/EngineUnusable.ts"
import { IndexUnavailable } from "#ports/SnippetIndex.ts"
import { faultOf, passesByItself } from "./fault.ts"

/** Milliseconds that an answer may take: to a search, to a write, to a change of whole indices, and to a merge. */
export const patience = { search: 5_000, write: 30_000, change: 60_000, merge: 600_000 } as const

/** How many times as long an answer may take, on a machine that has much else to do. */
export const Lenience = Context.Reference<number>("cairn/Lenience", { defaultValue: () => 1 })

export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly path: string
  readonly query?: { readonly [name: string]: string | boolean }
  readonly body?: object
  /** Lines of JSON, in place of a body. */
  readonly lines?: string
  readonly within: number
}

export interface Answer<A> {
  readonly status: number
  readonly body: A
}

/** One Elasticsearch, as the adapter asks it. */
export interface Engine {
  /** 404 is an answer. Any other refusal, and no answer in time, is `IndexUnavailable`. */
  readonly ask: <A>(request: Request) => Effect.Effect<Answer<A>, IndexUnavailable>
}

/**
 * Milliseconds after which we stop waiting for the client: when it misses its own timeout, as with a server that speaks
 * no HTTP, and when it closes.
 */
const overtime = 1_000

/** The oldest version that has all that we use: vectors as base64 came with 9.3. */
const oldest = [9, 3] as const
const tries = 5

class Unanswered extends Data.TaggedError("Unanswered")<{ readonly fault: string; readonly passes: boolean }> {}

const authorities = (file: string): string => {
  const pem = readFileSync(file, "utf8")
  if (!areCertificates(pem)) throw new Error(`${file} is no file with certificates (PEM)`)
  return pem
}

const certificates = (file: string | undefined) =>
  Effect.try({
    try: () => (file === undefined ? {} : { ca: authorities(file) }),
    catch: (error) =>
      new EngineUnusable({ message: `ELASTICSEARCH_CA_FILE can't be read: ${(error as Error).message}`, passes: false })
  })

const authOf = ({ auth }: ElasticsearchSettings) =>
  auth === undefined
    ? {}
    : "apiKey" in auth
      ? { auth: { apiKey: Redacted.value(auth.apiKey) } }
      : { auth: { username: auth.username, password: Redacted.value(auth.password) } }

/** Looks at a node that went away again after a second, then ever less often, up to every half a minute. */
class Nodes extends ClusterConnectionPool {
  constructor(options: ConstructorParameters<typeof ClusterConnectionPool>[0]) {
    super(options)
    this.resurrectTimeout = 1_000
  }
}

interface Versions {
  readonly nodes?: { readonly [id: string]: { readonly version: string } }
}

/** Connects, and makes sure that an Elasticsearch answers that can be used. Fails with what the operator can mend. */
export const connect = (settings: ElasticsearchSettings): Effect.Effect<Engine, EngineUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    const tls = yield* certificates(settings.caFile)
    const client = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new Client({
            nodes: [...settings.urls],
            ConnectionPool: Nodes,
            ...authOf(settings),
            // whatever the environment says about certificates
            tls: { ...tls, rejectUnauthorized: true },
            Connection: HttpConnection,
            // another node may answer if one can't be reached. What no node answers, the caller tries again: it knows
            // for how long
            maxRetries: settings.urls.length - 1,
            maxResponseSize: 128 * 1024 * 1024
          })
      ),
      // closing waits for requests that the client has lost
      (client) =>
        Effect.ignore(
          Effect.timeout(
            Effect.promise(() => client.close().catch(() => {})),
            overtime
          )
        )
    )
    const lenience = yield* Lenience
    const send = <A>({ method, path, query, body, lines, within: usual }: Request) => {
      const within = usual * lenience
      return Effect.tryPromise({
        try: async (signal): Promise<Answer<A>> => {
          const given = { method, path, ...(query && { querystring: query }), ...(body && { body }) }
          const { statusCode, body: answer } = await client.transport.request<A>(
            lines === undefined ? given : { ...given, bulkBody: lines },
            { requestTimeout: within, signal, ignore: [404], meta: true }
          )
          return { status: statusCode ?? 0, body: answer }
        },
        catch: (error) => new Unanswered({ fault: faultOf(error), passes: passesByItself(error) })
      }).pipe(
        Effect.timeoutOrElse({
          duration: within + overtime,
          orElse: () => Effect.fail(new Unanswered({ fault: "nothing that it says is an answer", passes: true }))
        })
      )
    }
    const host = settings.urls.map((url) => new URL(url).host).join(", ")
    const unusable = (fault: string, passes: boolean) =>
      new EngineUnusable({ message: `Elasticsearch at ${host} (ELASTICSEARCH_URL) can't be used: ${fault}`, passes })
    const query = { filter_path: "nodes.*.version" }
    const look = send<Versions>({ method: "GET", path: "/_nodes", query, within: patience.search })
    const { body } = yield* look.pipe(
      Effect.retry({ while: ({ passes }) => passes, times: tries - 1, schedule: Schedule.spaced("1 second") }),
      Effect.mapError(({ fault, passes }) => unusable(fault, passes))
    )
    const versions = Object.values(body.nodes ?? {}).map(({ version }) => version)
    for (const version of versions.length === 0 ? ["unknown"] : versions) {
      const [major = 0, minor = 0] = version.split(".").map((part) => Number.parseInt(part, 10) || 0)
      if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) continue
      return yield* unusable(`it is version ${version}, and ${oldest.join(".")} is the oldest that does`, false)
    }
    const engine: Engine = {
      ask: (request) =>
        Effect.mapError(
          send(request),
          ({ fault }) => new IndexUnavailable({ fault: `Elasticsearch at ${host}: ${fault}` })
        )
    }
    return engine
  })
