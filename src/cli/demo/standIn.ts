import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

interface Asked {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly content: unknown }>
  readonly tool_choice?: { readonly name?: string }
}

/** A task whose shell command would take ten minutes. */
export const longTask = "Count to six hundred, a number a second"

const begins = { file_path: "begun.txt", content: "one\n" }
/** What the stand-in does for that task, turn by turn: writes a file, then waits. */
const steps = [
  { type: "tool_use", id: "toolu_1", name: "Write", input: begins },
  { type: "tool_use", id: "toolu_2", name: "Bash", input: { command: "sleep 600" } }
]

/** Unfinished code, as the stand-in sees it. */
const unfinished = /\b(TODO|NotImplementedError)\b/

/**
 * Stands in for a language model's API, so that the tour needs no account. Asked for a verdict, it votes down code that
 * says that it is unfinished, and other code up; asked for `longTask`, it begins it. It listens on this machine only.
 */
export const standIn = async () => {
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => void (body += text))
    request.on("end", () => {
      const { model, messages, tool_choice } = JSON.parse(body) as Asked
      const answered = (content: object) => {
        const answer = {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model,
          content: [content],
          stop_reason: "tool_use",
          stop_sequence: null,
          usage: { input_tokens: 1, output_tokens: 1 }
        }
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
      }
      if (messages[0]?.content === longTask) return answered(steps[(messages.length - 1) / 2]!)
      const down = unfinished.test(JSON.stringify(messages))
      const input = {
        verdict: down ? "thumbs_down" : "thumbs_up",
        reason: down ? "It says of itself that it is unfinished." : "It does what the task asks for."
      }
      answered({ type: "tool_use", id: "toolu_1", name: tool_choice?.name, input })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, stop: () => void server.close(() => {}) }
}
