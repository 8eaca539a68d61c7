import type { APIPromise } from "../APIPromise.ts"
import { EventStream, type EventStreamParams } from "../eventStream/EventStream.ts"
import type { RequestOptions, Settings } from "../options.ts"
import type { Result } from "../Result.ts"
import { type Call, json, text } from "../request.ts"
import type { Transport } from "../transport.ts"
import { type Access, access } from "./access.ts"
import { type Activity, type ActivityParams, activity } from "./activity.ts"
import {
  type AsOf,
  type AsOfList,
  type AsOfRows,
  type AsOfRowsParams,
  asOfRows,
  asOfs,
  dropAsOf,
  makeAsOf
} from "./asOf.ts"
import { Backup, type BackupParams } from "./backup.ts"
import { type Bounds, type BoundsList, bounds, type SetBoundsParams, setBounds } from "./bounds.ts"
import {
  type AuditedEvent,
  auditedEvent,
  Events,
  type EventsParams,
  type NewestEvents,
  type NewestEventsParams,
  newestEvents
} from "./events.ts"
import { type ModelList, models } from "./models.ts"
import { cancelReplay, type Replay, type ReplayList, type ReplayParams, replay, replays } from "./replays.ts"
import { type RequestHistory, requests } from "./requests.ts"
import { type SignInKey, signIn } from "./signIn.ts"
import { type ServiceStatus, status } from "./status.ts"
import { type UsageParams, type UsageReport, usage } from "./usage.ts"

/** What `health` gives. */
export interface Health extends Result {
  /** `healthy`: the process answers. */
  readonly status: string
}

/** Snippets that are stored and not found by all that they say. */
export interface LeftOut {
  /** Snippets that are found by part of their text, or not at all. */
  readonly count: number
  /** The ids of 20 of them at most. */
  readonly snippets: ReadonlyArray<string>
}

/** What `ready` gives. */
export interface Readiness extends Result {
  /** `ready`, `starting`: a read model still catches up; `failing`: one has stopped. */
  readonly status: "ready" | "starting" | "failing"
  /** Each read model's name to `ok`, `behind`, or why it stopped. */
  readonly readModels: { readonly [name: string]: string }
  /**
   * Disks of the service that have so little room left that writes to them are refused with a 507: `data`, `database`,
   * `workspaces`. No reason not to serve.
   */
  readonly nearlyFull: ReadonlyArray<string>
  /** No reason not to serve. */
  readonly leftOut: LeftOut
}

const health: Call<Health> = {
  method: "GET",
  path: "/health",
  open: true,
  answer: json(({ status }: Health) => ({ status }))
}

interface ReadinessWire {
  readonly status: Readiness["status"]
  readonly read_models: { readonly [name: string]: string }
  readonly nearly_full?: ReadonlyArray<string>
  readonly left_out?: LeftOut
}

/** A 503 with a report is what was asked for; any other comes from somebody in between. */
const isReport = (status: number, body: string): boolean => status === 503 && body.includes('"read_models"')

const ready: Call<Readiness> = {
  method: "GET",
  path: "/ready",
  open: true,
  accepts: isReport,
  answer: json(({ status, read_models, nearly_full = [], left_out = { count: 0, snippets: [] } }: ReadinessWire) => ({
    status,
    readModels: { ...read_models },
    nearlyFull: nearly_full,
    leftOut: { count: left_out.count, snippets: left_out.snippets }
  }))
}

const skill: Call<string> = { method: "GET", path: "/skill.md", open: true, answer: text }

/** The service: how it is, what it has, and what happened in it. The client itself has the same methods. */
export class System {
  readonly #transport: Transport
  readonly #settings: Settings

  /** @internal */
  constructor(transport: Transport, settings: Settings) {
    this.#transport = transport
    this.#settings = settings
  }

  /**
   * Everything that happened in the organization, oldest first, up to the log's head; for its owners and admins.
   *
   * ```ts
   * for await (const event of cairn.system.events({ type: "VoteCast" })) …
   * ```
   */
  events(params: EventsParams = {}, options?: RequestOptions): Events {
    return new Events(this.#transport, params, options)
  }

  /**
   * The newest events, or those before a position, in the log's order; for the organization's owners and admins.
   *
   * ```ts
   * const { events, nextAfter } = await cairn.system.newestEvents({ limit: 20 })
   * ```
   */
  newestEvents(params: NewestEventsParams = {}, options?: RequestOptions): APIPromise<NewestEvents> {
    return this.#transport.send(() => newestEvents(params), options)
  }

  /**
   * The event at a position, with what became of its text and whether it is as it was written; for owners and admins.
   * @throws {@link NotFoundError}: `not_found/event`.
   */
  event(position: string, options?: RequestOptions): APIPromise<AuditedEvent> {
    return this.#transport.send(() => auditedEvent(position), options)
  }

  /**
   * The same events as they come, for as long as they are taken. A connection that is cut is made again behind the last
   * event: none is left out, none comes twice. A `timeout` below 45 s counts as 45 s, since the service is silent for
   * up to 15 s.
   *
   * ```ts
   * for await (const event of cairn.system.eventStream({ after })) if (event.type === "KeyRevoked") break
   * ```
   */
  eventStream(params: EventStreamParams = {}, options?: RequestOptions): EventStream {
    return new EventStream(this.#settings, params, options)
  }

  /**
   * A whole backup of the service, with the data of every organization: a tar for `cairn restore`, piece by piece. For
   * owners of the organization that the service made for its operator.
   *
   * ```ts
   * for await (const piece of cairn.system.backup({ recipient: "age1…" })) await file.write(piece)
   * ```
   */
  backup(params: BackupParams = {}, options?: RequestOptions): Backup {
    return new Backup(this.#settings, params, options)
  }

  /** Whose this client's key is, what bounds it, and what it may do. */
  access(options?: RequestOptions): APIPromise<Access> {
    return this.#transport.send(() => access, options)
  }

  /** How much happened in the organization, hour by hour; for its owners and admins. */
  activity(params: ActivityParams = {}, options?: RequestOptions): APIPromise<Activity> {
    return this.#transport.send(() => activity(params), options)
  }

  /**
   * How the service is: read models, reactions, search, chats and disks. For owners of the organization that the
   * service made for its operator.
   */
  status(options?: RequestOptions): APIPromise<ServiceStatus> {
    return this.#transport.send(() => status, options)
  }

  /**
   * How many requests were answered, minute by minute of the last day, by the process that answers this one; for the
   * operator, as `status`.
   */
  requests(options?: RequestOptions): APIPromise<RequestHistory> {
    return this.#transport.send(() => requests, options)
  }

  /** The last replay of each read model, and how far the one is that goes on; for the operator, as `status`. */
  replays(options?: RequestOptions): APIPromise<ReplayList> {
    return this.#transport.send(() => replays, options)
  }

  /**
   * Begins to build a read model anew beside the live one and to compare both; `replays` tells how far that is.
   * @throws {@link ConflictError}: `conflict/replay_running`: also when it was begun by this call, whose answer was
   * lost.
   * @throws {@link NotFoundError}: `not_found/read_model`.
   */
  replay(readModel: string, params: ReplayParams = {}, options?: RequestOptions): APIPromise<Replay> {
    return this.#transport.send(() => replay(readModel, params), options)
  }

  /**
   * Ends a replay that goes on, within a second; the live read model stays as it is.
   * @throws {@link NotFoundError}: `not_found/replay`.
   */
  cancelReplay(readModel: string, options?: RequestOptions): APIPromise<ReplayList> {
    return this.#transport.send(() => cancelReplay(readModel), options)
  }

  /** The read models as of positions that are kept, and how far one is that is made; for the operator, as `status`. */
  asOfs(options?: RequestOptions): APIPromise<AsOfList> {
    return this.#transport.send(() => asOfs, options)
  }

  /**
   * Begins to make the read models as they were at a position or a time (ISO 8601); `asOfs` tells how far that is.
   * @throws {@link ConflictError}: `conflict/replay_running`: also when it was begun by this call, whose answer was
   * lost; `conflict/as_of_made`; `conflict/as_of_full`.
   */
  makeAsOf(at: string, options?: RequestOptions): APIPromise<AsOf> {
    return this.#transport.send(() => makeAsOf(at), options)
  }

  /**
   * Removes the read models as of a position, or ends their making within a second.
   * @throws {@link NotFoundError}: `not_found/as_of`.
   */
  dropAsOf(position: string, options?: RequestOptions): APIPromise<AsOfList> {
    return this.#transport.send(() => dropAsOf(position), options)
  }

  /**
   * Rows of a table as of a position, of all organizations.
   * @throws {@link NotFoundError}: `not_found/as_of`.
   */
  asOfRows(
    position: string,
    table: string,
    params: AsOfRowsParams = {},
    options?: RequestOptions
  ): APIPromise<AsOfRows> {
    return this.#transport.send(() => asOfRows(position, table, params), options)
  }

  /**
   * Exchanges the code of the link that the service prints on a terminal for a key of its operator. `code` is what
   * stands behind `#sign-in=` in it. Needs no API key, and works on the service's own machine alone.
   * @throws {@link PermissionDeniedError}: `permission/not_this_machine`; `permission/invalid_code`: also when it was
   * exchanged by this call, whose answer was lost.
   */
  signIn(code: string, options?: RequestOptions): APIPromise<SignInKey> {
    return this.#transport.send(() => signIn(code), options)
  }

  /** The models that `chat` may ask for. */
  models(options?: RequestOptions): APIPromise<ModelList> {
    return this.#transport.send(() => models, options)
  }

  /** What chats used: of the whole organization for its owners and admins, else of this client's key. */
  usage(params: UsageParams = {}, options?: RequestOptions): APIPromise<UsageReport> {
    return this.#transport.send(() => usage(params), options)
  }

  /** What the organization and its keys may use; for members, what the organization and this client's key may. */
  bounds(options?: RequestOptions): APIPromise<BoundsList> {
    return this.#transport.send(() => bounds, options)
  }

  /**
   * Sets what the organization, or one of its keys, may use, in place of what was set before. For owners and admins.
   * @throws {@link PermissionDeniedError}: `permission/…`.
   * @throws {@link NotFoundError}: `not_found/api_key`.
   */
  setBounds(params: SetBoundsParams, options?: RequestOptions): APIPromise<Bounds> {
    return this.#transport.send(() => setBounds(params), options)
  }

  /** Whether the service's process answers. Needs no API key. */
  health(options?: RequestOptions): APIPromise<Health> {
    return this.#transport.send(() => health, options)
  }

  /**
   * Whether the service can answer everything: also a service that is still starting gives a result. Needs no API key.
   */
  ready(options?: RequestOptions): APIPromise<Readiness> {
    return this.#transport.send(() => ready, options)
  }

  /** The service described for agents, as Markdown. Needs no API key. */
  skill(options?: RequestOptions): APIPromise<string> {
    return this.#transport.send(() => skill, options)
  }
}
