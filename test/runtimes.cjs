// Which tests Node is asked for, beside Deno: `npm run test:node` (start.cjs). Any Node can read it.
"use strict"
const { readdirSync } = require("node:fs")
const { join } = require("node:path")

/**
 * What the second runtime is asked about: the engine and the rules (whose numbers and texts are the runtime's), the
 * adapters, and one way through the API with its sockets and streams. The rest is the same code over the same parts.
 */
const ofRuntimes = [
  ...[
    "engine/",
    "domain/",
    "infra/",
    "service/sockets",
    "process/scheduler",
    "config/config",
    "smallPages",
    "ports/makeFolder"
  ],
  ...["http/snippets", "http/listener", "http/eventStream", "http/git.test", "http/pieces", "http/search.thread"],
  ...["http/body/", "http/console"],
  ...["mcp/stream", "clients/typescript/connections", "clients/typescript/eventStream", "process/effectAlone"]
].map((part) => `test/${part}`)

/**
 * Connections to Elasticsearch, and certificates, are the runtime's; what is sent over them is the same for both. So is
 * what the kernel, or a shell that is no program, lets somebody do that is confined, and what Postgres does when it
 * goes: that it is started, fed, heard and ended is the runtime's.
 */
const once = [
  ...["contract", "faults", "kept", "restored"].map((name) => `infra/search/elastic/${name}`),
  ...["escapes", "limits", "files"].map((name) => `infra/sandbox/bubblewrap.${name}`),
  ...["infra/sandbox/justBash", "infra/analysis/secretRules"],
  "infra/postgres/serverFaults"
].map((name) => `test/${name}.test.ts`)

/**
 * What nights ask the second runtime besides (CAIRN_LONG=1). It stands on what is shown each time:
 * - that a connection to Postgres or Elasticsearch opens, answers, breaks and is told of, with certificates too
 *   (postgres/log.lost, tls; kurrent/tls; elastic/feed; and what is asked of a whole service, and of `dispatch`, is
 *   asked of Postgres);
 * - that files, processes and git's streams are as they are wanted (git/contract, durable, native, push, transport;
 *   workers; and every run starts a Postgres, and ends it);
 * - that a grammar loads and reads (treeSitter), and that a thread answers (http/search.thread);
 * - that answers come in pieces (http/pieces, eventStream).
 *
 * From there on it is statements for a server, or plain arithmetic.
 */
const atNight = [
  ...["", ".calls", ".groupCommit", ".one", ".processes"].map((name) => `infra/postgres/log${name}`),
  ...["", ".bounds", ".builds", ".compare"].map((name) => `infra/postgres/readModels${name}`),
  ...["claims", "launcher", "launcher.guard", "pooler", "requestCounts", "requests", "retire"].map(
    (name) => `infra/postgres/${name}`
  ),
  ...["behind", "packed", "processes", "quality", "shelves", "start", "strange", "together", "unite", "vouched"].map(
    (name) => `infra/search/elastic/${name}`
  ),
  ...["diffBudget", "fault", "limits", "model", "objects", "pack", "permits", "push.slow", "size", "sortedInTurns"].map(
    (name) => `infra/git/${name}`
  ),
  ...["contract", "layer", "local", "seen"].map((name) => `infra/models/${name}`),
  ...["memory.scope", "memory.signs", "occurrences", "products", "thread"].map((name) => `infra/search/${name}`),
  ...["damaged", "restored"].map((name) => `infra/search/snapshot/${name}`),
  ...["infra/sandbox/bubblewrap", "infra/sandbox/bubblewrap.service", "infra/analysis/secretRules.again"],
  ...["infra/derivation", "infra/functions/annotate", "infra/functions/fingerprints"],
  ...["infra/requestCounts/memory", "infra/requestCounts/windows"],
  ...["config/config", "smallPages", "http/console", "http/git", "mcp/stream"]
].map((name) => `test/${name}.test.ts`)

const testsIn = (folder) =>
  readdirSync(join(__dirname, "..", folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? testsIn(path) : path.endsWith(".test.ts") ? [path] : []
  })

/**
 * What stands on KurrentDB's log, which is served on Node (`forService` in start.cjs): all of it is asked about here,
 * and on Deno by name or by what changed (vitest.config.ts).
 */
const onKurrent = () => testsIn("test").filter((path) => /^test\/infra\/kurrent\/|\bkurrent\.test\.ts$/.test(path))

/** The files of tests that the second runtime is asked about. */
const files = () => {
  const left = process.env.CAIRN_LONG === "1" ? once : once.concat(atNight)
  const kurrent = onKurrent()
  const isAsked = (path) => kurrent.includes(path) || ofRuntimes.some((part) => path.startsWith(part))
  return testsIn("test").filter((path) => isAsked(path) && !left.includes(path))
}

module.exports = { atNight, files, ofRuntimes, once, onKurrent, testsIn }
