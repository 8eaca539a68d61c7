import type { APIPromise } from "../APIPromise.ts"
import type { RunStream } from "../eventStream/RunStream.ts"
import type { RequestOptions } from "../options.ts"
import { type Call, json } from "../request.ts"
import { type ChatResponse, chatResponseOf } from "./chatResponse.ts"

/** Whose workspace the agent works in, and how. */
export interface ChatParams {
  /** With `org` the name of the workspace: the same pair finds its files again. */
  readonly user: string
  /** With `user` the name of the workspace: any text, not an id of this service. */
  readonly org: string
  /** `sonnet`, `opus`, `haiku`, `local` (no language model) or a model's full id. Default: `sonnet`. */
  readonly model?: string | undefined
  /** The most turns of the agent, 1 to 100. Default: 8. */
  readonly maxTurns?: number | undefined
  /** Whether it is told what earlier chats with it came to (`.cairn/memory.md`), and adds to it. Default: no. */
  readonly memory?: boolean | undefined
}

/** Milliseconds: an agent may take minutes. */
const timeout = 600_000

/** `chat`, and what else asks for one. */
export interface Chat {
  /**
   * Lets the agent work on a task in the workspace of (`org`, `user`), and saves its files as one commit. Waits up to
   * ten minutes for it; sent again after that, or after a cut connection, it joins the run that is under way. A run
   * that fails is no error: it has `success: false`.
   */
  (query: string, params: ChatParams, options?: RequestOptions): APIPromise<ChatResponse>
  /**
   * The same, told as it goes on, up to the answer; `runs.stream` tells it of a run that is there. What it gives is one
   * run, however often you iterate it: again, it goes on behind what you have heard. A `timeout` below 45 s counts as
   * 45 s, since the service is silent for up to 15 s.
   *
   * ```ts
   * for await (const event of cairn.chat.stream(query, { user, org })) if (event.type === "text") print(event.text)
   * ```
   */
  stream(query: string, params: ChatParams, options?: RequestOptions): RunStream
}

/** What asks for a chat, however its answer is to come. */
export const asking = (
  query: string,
  { user, org, model, maxTurns, memory }: ChatParams
): Omit<Call<never>, "answer" | "timeout"> => ({
  method: "POST",
  path: "/api/agent-chat",
  body: { user_query: query, user_id: user, org_id: org, model, max_turns: maxTurns, memory }
})

export const chat = (query: string, params: ChatParams): Call<ChatResponse> => ({
  ...asking(query, params),
  timeout,
  answer: json(chatResponseOf)
})
