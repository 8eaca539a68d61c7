/** A program of a user's with one session. */
import { CairnAgent } from "../../src/agent/index.ts"

const agent = new CairnAgent(JSON.parse(process.env["TEST_OPTIONS"]!))
let succeeded = false
for await (const message of agent.query("count the words of a text file")) {
  if (message.type === "result") succeeded = !message.is_error
}
process.exitCode = succeeded ? 0 : 1
