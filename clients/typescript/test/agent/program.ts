/** A program of a user's, whose Cairn is not there. */
import { CairnAgent, type CairnAgentOptions } from "../../src/agent/index.ts"

const agent = new CairnAgent({
  ...JSON.parse(process.env["TEST_OPTIONS"]!),
  apiKey: "cairn_live_0123456789",
  baseUrl: "http://127.0.0.1:1"
} as CairnAgentOptions)
let succeeded = false
for await (const message of agent.query("count words")) if (message.type === "result") succeeded = !message.is_error
process.exitCode = succeeded ? 0 : 1
