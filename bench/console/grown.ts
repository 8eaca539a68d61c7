import { execFileSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, type Redacted } from "effect"
import * as Postgres from "#infra/postgres/client.ts"

const columns =
  "position, tenant, stream, revision, event_id, type, schema_version, data, has_text, actor_key, actor_user, actor_organization, command_id, correlation_id, causation_id, recorded_at"

/** What tells one from another: a number's own id, and its own digest. */
const idOf = (n: string, of: string) => `md5('${of}' || ${n})::uuid`

/**
 * Writes the first event of a type into the log again and again, with what was typed, as SQL: only its reading is
 * measured. `own`: each in a stream of its own, with its own id in the place of `field`'s; else in the stream of the
 * first. `after`: what behind the first one is put in its place, from a list as long.
 */
const repeat = Effect.fnUntraced(function* (type: string, count: number, own: { readonly field: string } | null) {
  const sql = yield* PgClient.PgClient
  // asked for once: a statement would look anew for each row, past all rows that it has written so far
  const [one] = yield* sql.unsafe<{
    id: string
    stream: string
    last: number
    hash: string | null
    id_of_event: string
  }>(
    `SELECT data::json ->> $2 AS id, stream, coalesce(data::json ->> 'hash', data::json ->> 'sourceDigest') AS hash, event_id AS id_of_event,
       (SELECT max(revision) FROM events s WHERE s.stream = e.stream) AS last
     FROM events e WHERE type = $1 ORDER BY position DESC LIMIT 1`,
    [type, own?.field ?? "subject"]
  )
  if (one === undefined) return yield* Effect.die(`there is no ${type} to write again`)
  const to = own === null ? `$2::text` : `${idOf("n", own.field)}::text`
  const changed = (column: string) =>
    `replace(replace(${column}, $2::text, ${to}), coalesce($3::text, '-no hash-'), md5('hash' || n) || md5('hash2' || n))`
  const inOwnStream = own !== null && one.stream.includes(one.id)
  const revision = inOwnStream ? "e.revision" : `${one.last} + n`
  const event = idOf("n", `event ${type}`)
  yield* sql.unsafe(
    `INSERT INTO payloads SELECT ${event}, tenant, ${changed("subject")}, salt, bytes
     FROM payloads, generate_series(1, $4::int) n WHERE id = $1::uuid`,
    [one.id_of_event, one.id, one.hash, count]
  )
  yield* sql.unsafe(
    `INSERT INTO events (${columns})
     SELECT (SELECT max(position) FROM events) + n, e.tenant, ${inOwnStream ? changed("e.stream") : "e.stream"}, ${revision},
       ${event}, e.type, e.schema_version, ${changed("e.data")}, e.has_text, e.actor_key, e.actor_user,
       e.actor_organization, ${event}, ${event}, NULL, (SELECT max(recorded_at) FROM events)
     FROM events e, generate_series(1, $4::int) n WHERE e.event_id = $1::uuid`,
    [one.id_of_event, one.id, one.hash, count]
  )
})

/** So many further commits of a workspace, in its repository and in the log. */
const commit = Effect.fnUntraced(function* (dataDir: string, workspace: string, count: number) {
  const sql = yield* PgClient.PgClient
  const folder = join(dataDir, "workspaces")
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" })
  const repository = found.find((path) => path.includes(workspace) && path.endsWith("HEAD"))
  if (repository === undefined) return yield* Effect.die(`there is no repository of ${workspace}`)
  const git = (args: ReadonlyArray<string>, input = "") =>
    execFileSync("git", ["-C", join(folder, repository, ".."), ...args], {
      input,
      encoding: "utf8",
      maxBuffer: 2 ** 30
    }).trim()
  const branch = git(["symbolic-ref", "HEAD"])
  const before = git(["rev-parse", branch])
  const data = (text: string) => `data ${text.length}\n${text}\n`
  const one = (n: number) =>
    `commit ${branch}\ncommitter ada <ada@example.org> ${1_700_000_000 + n} +0000\n${data(`Number ${n}`)}${n === 0 ? `from ${before}\n` : ""}M 644 inline number.txt\n${data(`${n}\n`)}`
  git(["fast-import", "--quiet", "--force"], Array.from({ length: count }, (_, n) => one(n)).join(""))
  const lines = git(["log", "--reverse", "--format=%H %P %T", `${before}..${branch}`]).split("\n")
  const [shas, parents, trees] = [0, 1, 2].map((at) => lines.map((line) => line.split(" ")[at]!))
  const [last] = yield* sql.unsafe<{ event_id: string; revision: number }>(
    `SELECT event_id, (SELECT max(revision) FROM events s WHERE s.stream = e.stream) AS revision
     FROM events e WHERE type = 'FilesChanged' AND data::json ->> 'workspace' = $1 ORDER BY position DESC LIMIT 1`,
    [workspace]
  )
  yield* sql.unsafe(
    `INSERT INTO events (${columns})
     SELECT (SELECT max(position) FROM events) + n, e.tenant, e.stream,
       ${last!.revision} + n, ${idOf("n", "commit")}, e.type, e.schema_version,
       (e.data::jsonb || jsonb_build_object('commit', sha, 'parent', parent, 'tree', tree, 'created', 0, 'modified', 1))::text,
       e.has_text, e.actor_key, e.actor_user, e.actor_organization, ${idOf("n", "commit")}, ${idOf("n", "commit")}, NULL,
       (SELECT max(recorded_at) FROM events)
     FROM events e, unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS c (sha, parent, tree, n)
     WHERE e.event_id = $1::uuid`,
    [last!.event_id, shas, parents, trees]
  )
})

/** Gives a filled log so many further votes, people, keys, snippets, workspaces and commits of one of them. */
export const grow = ({
  url,
  dataDir,
  workspace,
  count
}: {
  readonly url: Redacted.Redacted
  readonly dataDir: string
  readonly workspace: string
  readonly count: number
}) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* repeat("MemberAdded", count, { field: "user" })
    yield* repeat("KeyCreated", count, { field: "key" })
    yield* repeat("SnippetUploaded", count, { field: "snippet" })
    yield* repeat("WorkspaceOpened", count, { field: "workspace" })
    yield* repeat("FilesChanged", count, { field: "workspace" })
    yield* commit(dataDir, workspace, count)
    // last, so that the newest pages of the log are of them
    yield* repeat("VoteCast", count, null)
    yield* sql.unsafe("ANALYZE events")
  }).pipe(Effect.provide(Layer.orDie(Postgres.layer(url))))
