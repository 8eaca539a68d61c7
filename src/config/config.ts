import { Redacted, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { keyPattern } from "#domain/Key.ts"
import type { ElasticsearchSettings } from "#ports/ElasticsearchSettings.ts"
import type { EmbeddingSettings } from "#ports/EmbeddingSettings.ts"
import type { ModelSettings } from "#ports/ModelSettings.ts"
import type { TelemetrySettings } from "#ports/TelemetrySettings.ts"
import { keeping, type Reserve } from "#src/disks.ts"
import { heapLimit } from "#src/process/memory.ts"
import { refuse } from "./BadConfig.ts"
import { parseDatabaseUrl, readCa } from "./databaseUrl.ts"
import { readElasticsearch } from "./elasticsearch.ts"
import { readEmbeddings } from "./embeddings.ts"
import { listOf } from "./listOf.ts"
import { readModels } from "./models.ts"
import { defaultRates, type RateClass, type Rates } from "./rates.ts"
import { secretsIn, withFiles } from "./secrets.ts"
import { type LogLevel, readLogLevel, readTelemetry } from "./telemetry.ts"

/** What the environment says; see the table in the README. */
export interface Config {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  /** A Postgres server; without one, the embedded one in `dataDir`. */
  readonly databaseUrl: Redacted.Redacted | undefined
  /** PEM of the authorities that may have signed that server's certificate, instead of those that the runtime knows. */
  readonly databaseCa: string | undefined
  /** Most connections that the service has to the database at once. */
  readonly databaseConnections: number
  /** The KurrentDB server, or cluster, that has the log; without one, the database has it. */
  readonly kurrentdbUrl: Redacted.Redacted | undefined
  /** The Elasticsearch that has the snippet index; without one, it is in the process. */
  readonly elasticsearch: ElasticsearchSettings | undefined
  /** The model that makes vectors besides the table; without one, only the table does. */
  readonly embeddings: EmbeddingSettings | undefined
  /** Whether an index in memory has a thread of its own. */
  readonly searchThread: boolean
  readonly ownerKey: Redacted.Redacted | undefined
  readonly rates: Rates
  /** Whether snippets can be published and public ones found. */
  readonly publicLibrary: boolean
  /** Host names under which the service may be asked, besides this machine's own. */
  readonly allowedHosts: ReadonlyArray<string>
  /** Proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
  readonly sandbox: "just-bash" | "bubblewrap"
  /** Milliseconds that a read waits for what was written before it; then it answers with what is there. */
  readonly readPatience: number
  /** Milliseconds after which a worker that is not needed ends. */
  readonly workersIdle: number
  /** Bytes that the process may take. */
  readonly memoryLimit: number
  /** What stays free on the service's disks. */
  readonly diskReserve: Reserve | "off" | undefined
  /** Which language models callers may ask for. */
  readonly models: ModelSettings
  /** Days for which texts are kept; `undefined`: as long as what they belong to. */
  readonly retention: {
    readonly searches: number | undefined
    readonly executions: number | undefined
    readonly logs: number | undefined
  }
  /** The least severe level of the service's log lines that are written. */
  readonly logLevel: LogLevel
  /** The port, on this machine only, at which Prometheus finds metrics. */
  readonly metricsPort: number | undefined
  /** Where traces, metrics and logs are sent. */
  readonly telemetry: TelemetrySettings | undefined
}

type Environment = { readonly [name: string]: string | undefined }

/** An empty variable counts as absent. */
const reader = (environment: Environment) => (name: string) => environment[name]?.trim() || undefined

const parsePort =
  (name: string) =>
  (text: string): number =>
    /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : refuse(name, "a number from 0 to 65535")

/** Port 0 is refused: nobody would find metrics at a port that the system chose. */
const parseMetricsPort = (text: string): number =>
  parsePort("CAIRN_METRICS_PORT")(text) || refuse("CAIRN_METRICS_PORT", "a number from 1 to 65535")

const parseSwitch =
  (name: string) =>
  (text: string): boolean =>
    text === "on" || (text !== "off" && refuse(name, "on or off"))

const parseMemory = (text: string): number =>
  /^\d{2,7}$/.test(text) && Number(text) >= 64
    ? Number(text) * 1024 * 1024
    : refuse("CAIRN_MEMORY_LIMIT", "a number of MiB, 64 or more")

const parseDiskReserve = (text: string): Reserve | "off" => {
  if (text === "off") return "off"
  const [, least, enough] = /^(\d{1,8})(?:, *(\d{1,8}))?$/.exec(text) ?? []
  const kept = keeping(Number(least) * 1024 * 1024)
  const reserve = enough === undefined ? kept : { ...kept, resume: Number(enough) * 1024 * 1024 }
  return reserve.refuse > 0 && reserve.resume >= reserve.refuse
    ? reserve
    : refuse(
        "CAIRN_DISK_RESERVE",
        "off, or a number of MiB like 512, and one from which on writes are taken again like 512,640"
      )
}

const mostDays = 3_650

const parseDays =
  (name: string) =>
  (text: string): number | "off" => {
    if (text === "off") return "off"
    return /^[1-9]\d{0,3}$/.test(text) && Number(text) <= mostDays
      ? Number(text)
      : refuse(name, `off, or a number of days from 1 to ${mostDays}`)
  }

const parseReadPatience = (text: string): number =>
  /^\d{1,6}$/.test(text) && Number(text) <= 60_000
    ? Number(text)
    : refuse("CAIRN_READ_PATIENCE_MS", "a number of milliseconds from 0 to 60000")

const parseWorkersIdle = (text: string): number =>
  /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 86_400
    ? Number(text) * 1_000
    : refuse("CAIRN_WORKERS_IDLE_S", "a number of seconds from 1 to 86400")

const parseRates = (text: string): Rates => {
  const off = Object.fromEntries(Object.keys(defaultRates).map((name) => [name, Number.POSITIVE_INFINITY])) as Rates
  if (text === "off") return off
  const given = text.split(",").map((pair): [RateClass, number] => {
    const [name = "", count = ""] = pair.trim().split("=")
    if (!Object.hasOwn(defaultRates, name) || !/^[1-9]\d{0,8}$/.test(count)) {
      return refuse(
        "CAIRN_RATE_LIMITS",
        `off, or pairs like chat=10,search=1000 of ${Object.keys(defaultRates).join(", ")}`
      )
    }
    return [name as RateClass, Number(count)]
  })
  return { ...defaultRates, ...Object.fromEntries(given) }
}

/** Not parsed as a URL: it may name several hosts, which no other URL does. */
const parseKurrentUrl = (text: string): string =>
  /^(?:kurrentdb|kurrent|kdb|esdb)(?:\+discover)?:\/\/[^\s]+$/.test(text)
    ? text
    : refuse("KURRENTDB_URL", "a URL that begins with kurrentdb:// or kurrentdb+discover://")

/**
 * Two connections listen for news all the time, and comparing a read model with a new build of it takes three at once:
 * with too few, that waits for ever.
 */
const fewestConnections = 6

const parseConnections = (text: string): number =>
  /^\d{1,3}$/.test(text) && Number(text) >= fewestConnections
    ? Number(text)
    : refuse("CAIRN_DATABASE_CONNECTIONS", `a number from ${fewestConnections} to 999`)

const hostName = /^(?:\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?)$/

const parseHosts = (text: string): ReadonlyArray<string> =>
  listOf(text.toLowerCase()).map((name) =>
    hostName.test(name) ? name : refuse("CAIRN_ALLOWED_HOSTS", "names like cairn.example.com,10.0.0.5, without a port")
  )

/** Reads a network; an address counts as a network of one. */
const networkOf = (text: string): Result.Result<IpNetwork.IpNetwork, NetAddress.NetAddressError> =>
  text.includes("/")
    ? IpNetwork.fromString(text)
    : Result.map(NetAddress.ipFromString(text), (address) =>
        IpNetwork.fromAddressUnsafe(address, NetAddress.width(address))
      )

const parseProxies = (text: string): ReadonlyArray<IpNetwork.IpNetwork> =>
  listOf(text).map((one) =>
    Result.getOrElse(networkOf(one), () =>
      refuse("CAIRN_TRUSTED_PROXIES", "addresses and networks like 127.0.0.1,10.0.0.0/8,::1")
    )
  )

/** Reads the configuration; throws `BadConfig` with the name of a variable and what was expected. */
export const readConfig = (environment: Environment): Config => {
  const read = reader(withFiles(environment, secretsIn(environment)))
  const parsed = <A>(name: string, parse: (text: string) => A): A | undefined => {
    const text = read(name)
    return text === undefined ? undefined : parse(text)
  }
  const secret = (name: string, parse: (text: string) => string) =>
    parsed(name, (text) => Redacted.make(parse(text), { label: name }))
  const days = (name: string, otherwise: number | "off") => {
    const given = parsed(name, parseDays(name)) ?? otherwise
    return given === "off" ? undefined : given
  }
  return {
    host: read("HOST") ?? "127.0.0.1",
    port: parsed("PORT", parsePort("PORT")) ?? 8080,
    dataDir: read("CAIRN_DATA_DIR") ?? "./data",
    databaseUrl: secret("DATABASE_URL", parseDatabaseUrl),
    databaseCa: readCa(read("DATABASE_URL")),
    databaseConnections: parsed("CAIRN_DATABASE_CONNECTIONS", parseConnections) ?? 16,
    kurrentdbUrl: secret("KURRENTDB_URL", parseKurrentUrl),
    elasticsearch: readElasticsearch(read),
    embeddings: readEmbeddings(read),
    searchThread: parsed("CAIRN_SEARCH_THREAD", parseSwitch("CAIRN_SEARCH_THREAD")) ?? false,
    ownerKey: secret("CAIRN_OWNER_KEY", (text) =>
      keyPattern.test(text) ? text : refuse("CAIRN_OWNER_KEY", "cairn_live_ and 43 letters and digits")
    ),
    rates: parsed("CAIRN_RATE_LIMITS", parseRates) ?? defaultRates,
    publicLibrary: parsed("CAIRN_PUBLIC", parseSwitch("CAIRN_PUBLIC")) ?? true,
    allowedHosts: parsed("CAIRN_ALLOWED_HOSTS", parseHosts) ?? [],
    trustedProxies: parsed("CAIRN_TRUSTED_PROXIES", parseProxies) ?? [],
    sandbox:
      parsed("CAIRN_SANDBOX", (text) =>
        text === "just-bash" || text === "bubblewrap" ? text : refuse("CAIRN_SANDBOX", "just-bash or bubblewrap")
      ) ?? "just-bash",
    readPatience: parsed("CAIRN_READ_PATIENCE_MS", parseReadPatience) ?? 1_000,
    workersIdle: parsed("CAIRN_WORKERS_IDLE_S", parseWorkersIdle) ?? 600_000,
    memoryLimit: parsed("CAIRN_MEMORY_LIMIT", parseMemory) ?? heapLimit(),
    diskReserve: parsed("CAIRN_DISK_RESERVE", parseDiskReserve),
    models: readModels(read),
    retention: {
      searches: days("CAIRN_RETENTION_SEARCHES", 90),
      executions: days("CAIRN_RETENTION_EXECUTIONS", "off"),
      logs: days("CAIRN_RETENTION_LOGS", "off")
    },
    logLevel: readLogLevel(read("CAIRN_LOG_LEVEL")),
    metricsPort: parsed("CAIRN_METRICS_PORT", parseMetricsPort),
    telemetry: readTelemetry(read)
  }
}
