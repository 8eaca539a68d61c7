// Two sessions of an agent: what the first one writes is offered to the second one, whose vote comes back.
//
//   npm install @anthropic-ai/claude-agent-sdk   (beside cairn-client: README.md)
//   CAIRN_API_KEY=cairn_live_… ANTHROPIC_API_KEY=… node agent-session.ts
//
// (Node 22.18 or newer, or `deno run -A`: an older Node reads no TypeScript.)
//
// The model is whatever speaks the Messages API at ANTHROPIC_BASE_URL. Each session works in a new folder under a
// temporary one, or under the one that is given: node agent-session.ts FOLDER
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { CairnAgent } from "cairn-client/agent"

const prompts = [
  "Write count_words.py: it prints how many words the text file has that it is called with.",
  "How many words does notes.txt have?"
]

/** One prompt to a fresh agent. Whether it succeeded. */
const session = async (prompt: string, cwd: string): Promise<boolean> => {
  writeFileSync(join(cwd, "notes.txt"), "one two three\nfour five\n")
  const agent = new CairnAgent({
    cwd,
    tools: ["Read", "Write", "Bash"],
    allowedTools: ["Read", "Write", "Bash"], // anything else would ask first
    permissionMode: "acceptEdits",
    systemPrompt: "You write small Python programs, and run them with python3.",
    settingSources: [], // nothing of this machine's own settings
    maxTurns: 20,
    onReport: ({ offered, uploaded, votes }) => {
      console.log(`  offered ${offered.length}, uploaded ${uploaded.join(", ") || "nothing"}`)
      for (const { succeeded } of votes) console.log(`  voted ${succeeded ? "up" : "down"}`)
    }
  })
  console.log(`> ${prompt}`)
  for await (const message of agent.query(prompt)) {
    if (message.type === "assistant") {
      for (const block of message.message.content) {
        if (block.type === "tool_use") console.log(`  ${block.name}`)
        if (block.type === "text") console.log(`  ${block.text}`)
      }
    }
    if (message.type === "result" && message.is_error) {
      console.error(`failed: ${message.subtype === "success" ? message.result : message.subtype}`)
      return false
    }
  }
  return true
}

const given = process.argv[2]
const place = given === undefined ? mkdtempSync(join(tmpdir(), "agent-session-")) : resolve(given)
for (const [index, prompt] of prompts.entries()) {
  const cwd = join(place, `session-${index + 1}`)
  mkdirSync(cwd, { recursive: true })
  if (!(await session(prompt, cwd))) {
    process.exitCode = 1
    break
  }
}
if (given === undefined) rmSync(place, { recursive: true })
