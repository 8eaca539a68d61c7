import assert from "node:assert/strict"
import { type Running, within } from "./programs.ts"

interface Told {
  readonly event: string
  readonly data: { readonly [field: string]: unknown }
}

/** The events that a server sends about a run, until it ends. */
async function* eventsOf(response: Response): AsyncGenerator<Told> {
  let rest = ""
  const decoder = new TextDecoder()
  for await (const piece of response.body!) {
    const blocks = (rest + decoder.decode(piece as Uint8Array, { stream: true })).split("\n\n")
    rest = blocks.pop()!
    for (const block of blocks) {
      const lines = block.split("\n")
      const after = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const data = after("data")
      if (data !== undefined) yield { event: after("event") ?? "message", data: JSON.parse(data) }
    }
  }
}

const chat = (service: Running, task: string, model: string, headers: { readonly [name: string]: string }) =>
  fetch(`${service.url}/api/agent-chat`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ user_query: task, user_id: "grace", org_id: "streams", model })
  })

/** Listens to a chat at work: its turns, its tools, the files that change, and at last the answer. */
export const hear = async (service: Running, say: (line: string) => void) => {
  const response = await chat(service, "read a CSV file into dictionaries", "local", { accept: "text/event-stream" })
  assert.equal(response.status, 200)
  const heard: Array<string> = []
  for await (const { event, data } of eventsOf(response)) {
    heard.push(event)
    const names = (list: unknown, of: string) =>
      (list as ReadonlyArray<Record<string, string>>).map((one) => one[of]).join(", ")
    if (event === "turn") say(`     turn ${data["turn"]}: calls ${names(data["tool_calls"], "name") || "nothing"}`)
    if (event === "tools") say(`     tools: changed ${names(data["changed_files"], "path") || "nothing"}`)
  }
  say(`   events: ${[...new Set(heard)].join(", ")}`)
  assert.deepEqual([heard[0], heard.at(-1)], ["requested", "answer"])
}

interface Run {
  readonly state: string
  readonly answer: {
    readonly success: boolean
    readonly error: string
    readonly changed_files: ReadonlyArray<string>
  } | null
}

/**
 * Cancels a chat that nobody waits for, whose shell command would take ten minutes: it ends at once, and what it wrote
 * is saved.
 */
export const cancel = async (service: Running, prompt: string, say: (line: string) => void) => {
  const response = await chat(service, prompt, "sonnet", { prefer: "respond-async" })
  assert.equal(response.status, 202)
  const { run_id: run } = (await response.json()) as { readonly run_id: string }
  const state = () => service.ask<Run>("GET", `/api/runs/${run}`)
  say(`   202 Accepted: run ${run}`)
  await within(30_000, "the first command", async () => {
    const { turns } = (await state()) as unknown as { readonly turns: number }
    return turns >= 2 ? turns : undefined
  })
  const began = performance.now()
  await service.ask("POST", `/api/runs/${run}/cancel`)
  const { state: now, answer } = await within(30_000, "cancelling", async () => {
    const found = await state()
    return found.answer === null ? undefined : found
  })
  say(`   ${now} after ${((performance.now() - began) / 1000).toFixed(1)} s: ${answer!.error}`)
  say(`   saved: ${answer!.changed_files.join(", ")}`)
  assert.deepEqual([now, answer!.success, answer!.changed_files], ["cancelled", false, ["begun.txt"]])
}
