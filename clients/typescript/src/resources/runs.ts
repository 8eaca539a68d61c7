import type { APIPromise } from "../APIPromise.ts"
import { RunStream } from "../eventStream/RunStream.ts"
import type { RequestOptions, Settings } from "../options.ts"
import { part } from "../request.ts"
import type { Transport } from "../transport.ts"
import { asking, type ChatParams } from "./chat.ts"
import { type CancelResponse, cancelled, list, type Run, type RunList, run, type StartedRun, started } from "./run.ts"
import { type ToldTurn, type TurnList, toldTurn, turnList } from "./turns.ts"

/** Chats, one by one. What is not there is an APIError 404 `not_found/run` or `not_found/workspace`. */
export class Runs {
  readonly #transport: Transport
  readonly #settings: Settings

  /** @internal */
  constructor(transport: Transport, settings: Settings) {
    this.#transport = transport
    this.#settings = settings
  }

  /** Asks for what `chat` asks for, and waits for nothing: `get` tells how far it is, and has the answer at last. */
  start(query: string, params: ChatParams, options?: RequestOptions): APIPromise<StartedRun> {
    const call = () => ({ ...asking(query, params), headers: { Prefer: "respond-async" }, answer: started }) as const
    return this.#transport.send(call, options)
  }

  /**
   * How far a chat is, and its answer when it has ended.
   * @param id That of `start` or `list`; a chat's `sessionId`.
   */
  get(id: string, options?: RequestOptions): APIPromise<Run> {
    return this.#transport.send(() => ({ method: "GET", path: pathOf(id), answer: run }), options)
  }

  /**
   * A chat as it goes on, up to its answer; of one that has ended all of it. Iterated again, it goes on behind what you
   * have heard. A `timeout` below 45 s counts as 45 s, since the service is silent for up to 15 s.
   * @param id That of `start` or `list`; a chat's `sessionId`.
   * @param params `after`: only what came behind the event with this `id`.
   */
  stream(id: string, params: { readonly after?: string | undefined } = {}, options?: RequestOptions): RunStream {
    return new RunStream(this.#settings, () => ({ run: id, after: params.after }), options)
  }

  /**
   * A workspace's chats, the one asked for last first.
   * @param workspaceId A chat's, or of `workspaces.list`.
   * @param page `limit`: 1 to 1,000, default 1,000; `cursor`: the `nextCursor` of an answer, to go on behind it.
   */
  list(
    workspaceId: string,
    page: { readonly limit?: number | undefined; readonly cursor?: string | undefined } = {},
    options?: RequestOptions
  ): APIPromise<RunList> {
    const call = () =>
      ({
        method: "GET",
        path: `/api/workspaces/${part("workspaceId", workspaceId)}/runs`,
        query: { limit: page.limit, cursor: page.cursor },
        answer: list
      }) as const
    return this.#transport.send(call, options)
  }

  /**
   * The turns of a chat, with the time, tokens and cost of each.
   * @param id That of `start` or `list`; a chat's `sessionId`.
   */
  turns(id: string, options?: RequestOptions): APIPromise<TurnList> {
    return this.#transport.send(() => ({ method: "GET", path: `${pathOf(id)}/turns`, answer: turnList }), options)
  }

  /**
   * What the model was told when it was asked for a turn: the system prompt, the tools, the task and the turns before,
   * with the results of their tools. The files after it are `workspaces.tree` with `{ run, turn }`.
   * @param id That of `start` or `list`; a chat's `sessionId`.
   * @param turn From 1.
   * @throws {@link APIError}: 404 `not_found/run`, `not_found/turn`.
   */
  turn(id: string, turn: number, options?: RequestOptions): APIPromise<ToldTurn> {
    const call = () =>
      ({ method: "GET", path: `${pathOf(id)}/turns/${part("turn", String(turn))}`, answer: toldTurn }) as const
    return this.#transport.send(call, options)
  }

  /**
   * Stops a chat, also a command that it runs, and saves what was written as one commit; `chat` then gives `success:
   * false`, and says why. One that waits behind another chat of its workspace ends in its turn, without beginning.
   * @param id That of `start` or `list`; a chat's `sessionId`.
   * @throws {@link APIError}: 404 `not_found/run`; 409 `conflict/run_over`: it has ended, or was cancelled before.
   */
  cancel(id: string, options?: RequestOptions): APIPromise<CancelResponse> {
    return this.#transport.send(() => ({ method: "POST", path: `${pathOf(id)}/cancel`, answer: cancelled }), options)
  }
}

const pathOf = (id: string): string => `/api/runs/${part("id", id)}`
