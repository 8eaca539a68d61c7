import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, ManagedRuntime, Metric, Redacted, Scheduler } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { type Bound, Bounds } from "#engine/ports/Bounds.ts"
import { react } from "#engine/react.ts"
import * as Telemetry from "#infra/telemetry/layer.ts"
import * as Lines from "#infra/telemetry/lines.ts"
import { DiskSpace } from "#ports/DiskSpace.ts"
import { readConfig } from "#src/config/config.ts"
import * as Server from "#src/http/server.ts"
import { bootstrap } from "#src/keys/bootstrap.ts"
import * as Layers from "#src/layers.ts"
import { FairScheduler } from "#src/process/scheduler.ts"
import { passesByItself } from "#src/reaction.ts"
import { joined } from "#src/repositories.ts"
import { preparedDatabase } from "./preparedDatabase.ts"
import { type Answer, type Call, type Headers, send } from "./service/call.ts"
import { besideWorkers } from "./sharedWorkers.ts"

export type { Answer }

/**
 * The database and the folder of a service: a second one of the same installation is another process, or the next
 * start.
 */
export interface TestInstallation {
  readonly database: Redacted.Redacted<string>
  readonly dataDir: string
}

/** A new database, with all tables unless another one is given, and a new folder. */
export const newInstallation = async (database = preparedDatabase): Promise<TestInstallation> => ({
  database: await Effect.runPromise(database),
  dataDir: mkdtempSync(join(tmpdir(), "cairn-service-"))
})

export const removeInstallation = ({ dataDir }: TestInstallation): void =>
  rmSync(dataDir, { recursive: true, force: true })

/** The owner's key of every service of the tests. */
export const ownerKey = "cairn_live_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"

type Environment = { readonly [name: string]: string }

/** That a request was answered, which is said of each. */
const isOfRequest = (line: string) => line.includes('"message":"request"')

/** The layers of `src/main.ts`, without its greeting, on a free port. */
const everything = (
  { database, dataDir }: TestInstallation,
  environment: Environment,
  log: Array<string>,
  asked: Array<string>,
  bound?: Bound,
  scheduler: Scheduler.Scheduler = new FairScheduler(),
  space?: DiskSpace["Service"]
) => {
  const config = readConfig({
    HOST: "127.0.0.1",
    PORT: "0",
    CAIRN_DATA_DIR: dataDir,
    DATABASE_URL: Redacted.value(database),
    CAIRN_OWNER_KEY: ownerKey,
    CAIRN_RATE_LIMITS: "off",
    // the fewest that it may have: what needs more at once than there are waits for ever here
    CAIRN_DATABASE_CONNECTIONS: "6",
    // on a machine with much else to do the read models may be more than a second behind the log
    CAIRN_READ_PATIENCE_MS: "60000",
    ...environment
  })
  return Layer.effectDiscard(Effect.andThen(bootstrap(config.ownerKey), react(Layers.reactions, passesByItself))).pipe(
    Layer.provideMerge(Server.serve(config)),
    Layer.provideMerge(Layers.service(config, space === undefined ? undefined : Layer.succeed(DiskSpace, space))),
    Layer.provideMerge(joined(config)),
    Layer.provideMerge(Layers.serviceDatabase(config)),
    Layer.provideMerge(Telemetry.layer(config.telemetry)),
    Layer.provideMerge(
      Lines.layer(config.logLevel, false, (line) => void (isOfRequest(line) ? asked : log).push(line.trimEnd()))
    ),
    Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map())),
    Layer.provideMerge(Layer.succeed(Scheduler.Scheduler, scheduler)),
    Layer.provide(bound === undefined ? Layer.empty : Layer.succeed(Bounds, bound))
  )
}

type Services = Layer.Success<ReturnType<typeof everything>>

/** What `startService` gives: the whole service in this process, to be called over HTTP. */
export interface Service extends TestInstallation {
  readonly url: string
  /** As the owner, unless the headers say otherwise. */
  readonly call: Call
  /** The same with another key. */
  readonly as: (key: string) => Call
  /** Runs with everything that the service stands on: what the command line or a look into the database would do. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>
  readonly sql: <Row>(statement: string, parameters?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Row>>
  /** Everything that the service logged, one JSON text each. */
  readonly log: ReadonlyArray<string>
  /** Its lines about single requests, which are not in `log`. */
  readonly asked: ReadonlyArray<string>
  /** The log's last position. */
  readonly head: () => Promise<number>
  readonly stop: () => Promise<void>
  /** Stops it, and removes its folder. */
  readonly close: () => Promise<void>
}

/**
 * Starts the service on an installation, a new one unless told, with what the environment would say besides; with
 * `bound`, it takes no more at once than that; `scheduler` runs its fibers instead of the service's own; `space`
 * says what room its disks have.
 */
export const startService = async (
  environment: Environment = {},
  at?: TestInstallation,
  bound?: Bound,
  scheduler?: Scheduler.Scheduler,
  space?: DiskSpace["Service"]
): Promise<Service> => {
  const installation = at ?? (await newInstallation())
  const log: Array<string> = []
  const asked: Array<string> = []
  const runtime = ManagedRuntime.make(
    Layer.unwrap(Effect.sync(() => everything(installation, environment, log, asked, bound, scheduler, space))),
    { memoMap: await besideWorkers() }
  )
  const url = await runtime.runPromise(HttpServer.addressFormattedWith(Effect.succeed)).catch(async (error) => {
    await runtime.dispose()
    if (at === undefined) removeInstallation(installation)
    throw error
  })
  const as =
    (key: string): Call =>
    (method, path, body, headers: Headers = {}): Promise<Answer> =>
      send(url, method, path, body, { authorization: `Bearer ${key}`, ...headers })
  const sql = <Row>(statement: string, parameters: ReadonlyArray<unknown> = []) =>
    runtime.runPromise(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Row & object>(statement, parameters)))
  const stop = () => runtime.dispose()
  return {
    ...installation,
    url,
    as,
    call: as(ownerKey),
    run: (effect) => runtime.runPromise(effect),
    sql,
    log,
    asked,
    head: async () => {
      const [row] = await sql<{ head: bigint }>("SELECT coalesce(max(position), 0) AS head FROM events")
      return Number(row!.head)
    },
    stop,
    close: async () => {
      await stop()
      if (at === undefined) removeInstallation(installation)
    }
  }
}
