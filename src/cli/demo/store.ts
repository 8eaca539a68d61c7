import assert from "node:assert/strict"
import { type Running, within } from "./programs.ts"

const source = (name: string, body: string) =>
  `def ${name}(text: str) -> list:\n    """Splits a text into ${name.split("_")[1]}."""\n${body}\n`

interface Status {
  readonly status: "pending" | "done" | "failed"
  readonly votes: ReadonlyArray<{ readonly filename: string; readonly verdict: string; readonly reason: string }>
}

/** Stores three files at once; the service's model gives its verdicts in the background. */
export const storeBundle = async (service: Running, say: (line: string) => void) => {
  const bodies = {
    split_words: "    return text.split()",
    split_lines: "    return text.splitlines()",
    split_sentences: "    raise NotImplementedError  # TODO"
  }
  const { code_blocks_stored, votes_queued, status_url } = await service.ask<{
    readonly code_blocks_stored: number
    readonly votes_queued: number
    readonly status_url: string
  }>("POST", "/api/store/bulk-execution-result", {
    prompts: ["write three functions that split a text"],
    files_written: Object.entries(bodies).map(([name, body]) => ({
      path: `lib/${name}.py`,
      content: source(name, body)
    }))
  })
  say(`   stored ${code_blocks_stored}, ${votes_queued} verdicts are due`)
  const { votes } = await within(30_000, "grading", async () => {
    const status = await service.ask<Status>("GET", status_url)
    return status.status === "pending" ? undefined : status
  })
  for (const { filename, verdict, reason } of votes) say(`     ${verdict.padEnd(11)}  ${filename}  ${reason}`)
  const down = votes.filter(({ verdict }) => verdict === "thumbs_down").map(({ filename }) => filename)
  assert.deepEqual([votes.length, down], [3, ["split_sentences.py"]])
}

interface Reputed {
  readonly code_block: { readonly name: string; readonly source: string }
  readonly functions: ReadonlyArray<{
    readonly function_name: string
    readonly execution_count: number
    readonly total_logged_calls: number
    readonly common_errors: ReadonlyArray<string>
  }>
}

const traceback = `Traceback (most recent call last):
  File "totals.py", line 4, in total
    return sum(amounts)
TypeError: unsupported operand type(s) for +: 'int' and 'str'`

const telemetry = (functions: object) =>
  `--- CAIRN_TELEMETRY_START ---\n${JSON.stringify({ cairn_telemetry: { version: 1, functions } })}\n--- CAIRN_TELEMETRY_END ---`

/** Stores one file that ran twice, once with an error: a search shows what is known of its function above it. */
export const reputation = async (service: Running, say: (line: string) => void) => {
  const content = `def total(amounts: list) -> float:\n    """Adds up the amounts of an invoice."""\n    return sum(amounts)\n`
  const called = { total: { call_count: 6, avg_value_size: 8, empty_rate: 0, value_types: { float: 6 } } }
  const runs = [
    { succeeded: true, user_vote: 1, execution_logs: telemetry(called) },
    { succeeded: false, use_service_ai_voting: false, execution_logs: traceback }
  ]
  for (const run of runs) {
    await service.ask("POST", "/api/store/execution-result", {
      task: "add up an invoice",
      file_written: { path: "totals.py", content },
      per_function_reputation: true,
      ...run
    })
  }
  const { matches } = await service.ask<{ matches: ReadonlyArray<Reputed> }>("POST", "/api/retrieve/search", {
    task: "add up the amounts of an invoice",
    top_k: 1,
    per_function_reputation: true
  })
  const [{ code_block, functions }] = matches as [Reputed]
  for (const line of code_block.source.trimEnd().split("\n")) say(`     ${line}`)
  const [of] = functions
  assert.equal(of?.function_name, "total")
  assert.deepEqual([of?.execution_count, of?.total_logged_calls], [2, 6])
  assert.match(of?.common_errors.join() ?? "", /TypeError/)
}
