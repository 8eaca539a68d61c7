import { Metric } from "effect"

/** What describes a metric: its name, what it counts and in which unit, and the names of its labels. */
export interface Described {
  readonly name: string
  readonly kind: "counter" | "gauge" | "histogram"
  readonly description: string
  readonly labels: ReadonlyArray<string>
}

const described: Array<Described> = []

/** Every metric that there is, in the order in which they are declared. */
export const metrics: ReadonlyArray<Described> = described

/**
 * One series for each list of values, made once. The values come from lists that the code has (routes, types of events,
 * names of configured models), never from a caller: otherwise anybody could make as many series as they like.
 */
const family = <M>(labels: ReadonlyArray<string>, make: (attributes: { readonly [label: string]: string }) => M) => {
  const known = new Map<string, M>()
  return (...values: ReadonlyArray<string>): M => {
    const name = values.join("\n")
    const found = known.get(name)
    if (found !== undefined) return found
    const made = make(Object.fromEntries(labels.map((label, index) => [label, values[index] ?? ""])))
    known.set(name, made)
    return made
  }
}

const counter = (name: string, description: string, ...labels: ReadonlyArray<string>) => {
  described.push({ name, kind: "counter", description, labels })
  return family(labels, (attributes) => Metric.counter(name, { description, attributes, incremental: true }))
}

const gauge = (name: string, description: string, ...labels: ReadonlyArray<string>) => {
  described.push({ name, kind: "gauge", description, labels })
  return family(labels, (attributes) => Metric.gauge(name, { description, attributes }))
}

const histogram = (
  name: string,
  boundaries: ReadonlyArray<number>,
  description: string,
  ...labels: ReadonlyArray<string>
) => {
  described.push({ name, kind: "histogram", description, labels })
  return family(labels, (attributes) => Metric.histogram(name, { description, attributes, boundaries }))
}

/** Seconds: `short` for what a computer does, `long` for what it waits for. */
const short = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const long = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
const units = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

export const requests = counter(
  "cairn_http_requests_total",
  "Requests that were answered, by the route's pattern; 499: whoever asked had left.",
  "method",
  "route",
  "status"
)
export const requestSeconds = histogram(
  "cairn_http_request_duration_seconds",
  short,
  "From a request's head to the end of its answer, in seconds.",
  "route"
)
export const requestsOpen = gauge("cairn_http_requests_open", "Requests that are being answered.")

export const events = counter("cairn_log_events_total", "Events that this process has appended, by type.", "type")
export const appendSeconds = histogram(
  "cairn_log_append_duration_seconds",
  short,
  "How long an append took, in seconds, with the wait for those before it."
)
export const appendsFailed = counter(
  "cairn_log_appends_failed_total",
  "Appends that came to nothing: `conflict`, others were first and it is decided again; `unavailable`, the log was away.",
  "reason"
)
export const batchUnits = histogram("cairn_log_append_batch_units", units, "Units that went to Postgres in one call.")

export const readModelLag = gauge(
  "cairn_read_model_lag",
  "How far a read model is behind what it has to take in, in positions of the log; 0: it has all.",
  "read_model"
)
export const readModelFailing = gauge(
  "cairn_read_model_failing",
  "1: this process moves the read model on, and can't.",
  "read_model"
)
export const reactionLag = gauge(
  "cairn_reaction_lag",
  "How far a reaction that this process runs is behind what concerns it, in positions of the log.",
  "reaction"
)
export const reactionFailing = gauge(
  "cairn_reaction_failing",
  "1: a reaction that this process runs stands still.",
  "reaction"
)
export const reactionLeftOut = gauge(
  "cairn_reaction_left_out",
  "Events that a reaction could not handle so far, and tries again every ten seconds.",
  "reaction"
)
export const missing = gauge("cairn_missing", "1: the database, log or search can't be had now.", "what")

export const connections = gauge(
  "cairn_database_connections",
  "Connections to the database, of all processes: `active`, `idle`, or `in_transaction` and idle.",
  "state"
)
export const databaseSeconds = gauge(
  "cairn_database_look_seconds",
  "How long the last look at the database took, in seconds, with the wait for a connection; as long as it is waited for: it came to nothing."
)

export const indexLag = gauge(
  "cairn_index_lag",
  "How far this process's snippet index is behind the catalogue, in positions of the log."
)
export const indexSnippets = gauge("cairn_index_snippets", "Snippets in the index, where it is in this process.")
export const indexLeftOut = gauge("cairn_index_left_out", "Snippets that are not found by all that they say.")
export const searches = counter(
  "cairn_searches_total",
  "Searches, by where the answer came from: `memory`, `index`, `index_behind`, `fallback`; `failed`: the index was away.",
  "answer"
)
export const searchSeconds = histogram("cairn_search_duration_seconds", short, "How long a search took, in seconds.")

export const chats = gauge("cairn_chats", "Chats in this process: `running`, or `waiting` for one before.", "state")
export const modelSeconds = histogram(
  "cairn_model_request_duration_seconds",
  long,
  "How long a language model took for an answer, in seconds; a model that was not configured by name is `other`.",
  "model"
)
export const modelRequests = counter(
  "cairn_model_requests_total",
  "Requests to language models: how a turn ended, `answered` for a judgement, `failed`.",
  "model",
  "outcome"
)
export const modelTokens = counter(
  "cairn_model_tokens_total",
  "Tokens of turns: `input` (with those of the cache), `output`, and of `input` what was `cache_read` and `cache_write`.",
  "model",
  "kind"
)
export const modelCost = counter(
  "cairn_model_cost_dollars_total",
  "What turns have cost, in US dollars, by the prices in CAIRN_MODELS.",
  "model"
)
export const commandSeconds = histogram(
  "cairn_sandbox_command_duration_seconds",
  long,
  "How long a shell command of an agent took, in seconds."
)
export const commands = counter(
  "cairn_sandbox_commands_total",
  "Shell commands of agents: `ok`, `failed`, `timed_out`, `killed`.",
  "outcome"
)
export const packs = counter("cairn_packs_total", "Repositories that were packed: `ok`, `failed`.", "outcome")
export const packSeconds = histogram("cairn_pack_duration_seconds", long, "How long packing one took, in seconds.")

export const cacheLookups = counter(
  "cairn_cache_lookups_total",
  "How often a cache of this process had what it was asked for: `hit`, `miss`.",
  "cache",
  "outcome"
)
export const cacheEntries = gauge("cairn_cache_entries", "What a cache of this process holds.", "cache")
export const disk = gauge(
  "cairn_disk_bytes",
  "The disk of the data folder: what is `free` for the service, and its `size`.",
  "kind"
)
export const answersHeld = gauge(
  "cairn_answers_held_bytes",
  "Bytes of answers that are in hand, or kept free for them."
)
export const answersWaiting = gauge("cairn_answers_waiting", "Requests that wait for room for their answer.")

export const diskNearlyFull = gauge(
  "cairn_disk_nearly_full",
  "1: so little room is left on this disk (`data`, `database`, `workspaces`) that writes to it are refused.",
  "disk"
)
export const memory = gauge("cairn_memory_bytes", "What the process takes: `resident`, `heap`, `external`.", "kind")
export const memoryLimit = gauge("cairn_memory_limit_bytes", "What it may take, before it ends to be started again.")
export const loopDelay = histogram(
  "cairn_event_loop_delay_seconds",
  [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5],
  "How much later than asked for the event loop came round, in seconds; looked at ten times a second."
)
export const processorSeconds = gauge("cairn_processor_seconds", "Processor time since the start, in seconds.")
export const descriptors = gauge("cairn_open_descriptors", "Open files and sockets (Linux).")
export const started = gauge("cairn_start_time_seconds", "When the process began, in seconds since the epoch.")
export const logLines = counter("cairn_log_lines_total", "Lines of the service's own log, by level.", "level")
