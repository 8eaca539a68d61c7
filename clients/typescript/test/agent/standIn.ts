import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type Block,
  type MessagesApi,
  type MessagesRequest,
  type Reply,
  says,
  startMessagesApi
} from "../../../../test/MessagesApi.ts"
import type { AgentMessage, AgentSdkOptions } from "../../src/agent/index.ts"

/** Whether the agent SDK and the program it starts are installed here. */
export const agentSdkIsInstalled = (() => {
  try {
    createRequire(import.meta.url).resolve("@anthropic-ai/claude-agent-sdk")
    return true
  } catch {
    return false
  }
})()

type Turn = (request: MessagesRequest) => Reply

/** What a model would be shown, as one text. */
export const shown = ({ body }: MessagesRequest): string => JSON.stringify(body)

/** The text of the user's last message, with what hooks added. */
const blocks = (content: string | ReadonlyArray<Block>) =>
  typeof content === "string" ? [{ type: "text", text: content } as Block] : content

/** A model that goes through its turns: the n-th answer of a conversation is the n-th turn, and then it is done. */
export const startModel = (turns: (request: MessagesRequest) => ReadonlyArray<Reply | Turn>): Promise<MessagesApi> =>
  startMessagesApi(
    (request) => {
      const said = request.body.messages.filter(({ role }) => role === "assistant").length
      const turn = turns(request)[said]
      return typeof turn === "function" ? turn(request) : (turn ?? says("Done."))
    },
    { agentSdk: true }
  )

/** The results of tools that a request carries, as text. */
export const resultsOf = ({ body }: MessagesRequest): ReadonlyArray<string> =>
  body.messages
    .flatMap(({ content }) => blocks(content))
    .filter(({ type }) => type === "tool_result")
    .map((block) => JSON.stringify(block))

/** A new folder, real and empty. */
export const newFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), "cairn-agent-test-")))
export const removeFolder = (path: string): void => rmSync(path, { recursive: true, force: true })

/** A session offline: everything that it asks goes to the stand-in. */
export const sessionOptions = (model: MessagesApi, cwd: string, home: string): AgentSdkOptions =>
  ({
    cwd,
    settingSources: [],
    permissionMode: "acceptEdits",
    tools: ["Read", "Write", "Bash"],
    allowedTools: ["Read", "Write", "Bash"],
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: model.key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "0"
    }
  }) as AgentSdkOptions

/** All messages of a session. After a result that is an error the agent SDK throws, too. */
export const messagesOf = async (session: AsyncIterable<AgentMessage>): Promise<ReadonlyArray<AgentMessage>> => {
  const all: Array<AgentMessage> = []
  try {
    for await (const message of session) all.push(message)
  } catch (error) {
    if (all.at(-1)?.type !== "result") throw error
  }
  return all
}
