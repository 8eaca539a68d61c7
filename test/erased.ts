import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Call } from "#test/service/call.ts"
import { memberKey } from "#test/service/tenants.ts"
import { sendBundle } from "./http/bundle.ts"
import { recorded } from "./http/executed.ts"
import { findByName, stored } from "./http/store.ts"

/** Gives an enterprise organization of everything that it can have, each with the word in it; its workspaces. */
export const fillWith = async (call: Call, word: string): Promise<ReadonlyArray<string>> => {
  await call("POST", "/api/organization", { name: `${word} & Co`, slug: word })
  await memberKey(call, `${word}@example.org`, "member")
  await stored(call, `${word}_own`, { user_vote: 1, execution_logs: `${word} printed\n` })
  await stored(call, `${word}_public`, { public: true })
  const id = (await findByName(call, `${word}_own`))!.code_block.id
  await recorded(call, id, { triggering_task: `run ${word}` })
  await call("POST", "/api/store/comment", { code_block_id: id, text: `a ${word} is a fish` })
  await sendBundle(call, [`${word}_one`], { use_service_ai_voting: false })
  const chat = { user_query: `keep a ${word}`, user_id: word, org_id: word, memory: true }
  const { json } = await call("POST", "/api/agent-chat", chat)
  const opened = await call("POST", "/api/workspaces", { org_id: word, user_id: "quiet" })
  await call("PUT", `/api/workspaces/${opened.json.workspace_id}/files/${word}.md`, word)
  return [json.workspace_id, opened.json.workspace_id]
}

type Sql = <Row>(statement: string, parameters?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Row>>

/** The tables of a database that have a word in any of their columns, whatever kind it is of. */
export const tablesWith = async (sql: Sql, word: string): Promise<ReadonlyArray<string>> => {
  const tables = await sql<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`
  )
  const hex = Buffer.from(word).toString("hex")
  const found: Array<string> = []
  for (const { name } of tables) {
    const rows = await sql(
      `SELECT FROM ${name} AS t WHERE t::text ILIKE '%${word}%' OR t::text LIKE '%${hex}%' LIMIT 1`
    )
    if (rows.length > 0) found.push(name)
  }
  return found
}

/** Files below a folder whose names or bytes have a word. */
export const filesWith = (folder: string, word: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path.includes(word) || readFileSync(path).includes(word))
