import type { ChatEvent } from "#domain/Chat.ts"
import type { Recorded } from "#engine/Event.ts"
import type { Exchange } from "#ports/LanguageModel.ts"
import type { Remembered } from "./account.ts"
import type { Compaction } from "./compact.ts"
import { compactionOf, rememberedOf, resultsOf, turnOf } from "./turns.ts"

type Case<T extends ChatEvent["_tag"]> = Extract<ChatEvent, { readonly _tag: T }>

/** What the log has of a run. */
export interface Past {
  readonly requested: Recorded<Case<"ChatRequested">>
  readonly started: Case<"ChatStarted"> | undefined
  readonly exchanges: ReadonlyArray<Exchange>
  /** Oldest first. */
  readonly compactions: ReadonlyArray<Compaction>
  /** After each recorded round of tools, oldest first. */
  readonly trees: ReadonlyArray<{ readonly turn: number; readonly tree: string }>
  readonly cancelled: boolean
  /** Whether it reads and writes its workspace's memory. */
  readonly memory: boolean
  readonly remembered: Remembered | undefined
  /** The commands by which processes took it up, oldest first. */
  readonly takenUpBy: ReadonlyArray<string>
  readonly recordedAt: number
}

/** How many recorded steps a run has that are not asked for again. */
export const stepsOf = ({ exchanges, remembered }: Past): number =>
  exchanges.length + (remembered === undefined ? 0 : 1)

/** What a run's events, oldest first, say of it; `undefined`: no run was requested. */
export const pastOf = (events: ReadonlyArray<Recorded<ChatEvent>>): Past | undefined => {
  const [requested] = events
  if (requested?.event._tag !== "ChatRequested") return undefined
  let started: Past["started"]
  let [cancelled, memory] = [false, false]
  let remembered: Remembered | undefined
  const exchanges: Array<Exchange> = []
  const compactions: Array<Compaction> = []
  const trees: Array<{ readonly turn: number; readonly tree: string }> = []
  const takenUpBy: Array<string> = []
  for (const { event, commandId } of events) {
    if (event._tag === "ChatStarted") started = event
    if (event._tag === "ChatResumed") takenUpBy.push(commandId)
    if (event._tag === "ChatCancelled") cancelled = true
    if (event._tag === "MemoryAsked") memory = true
    if (event._tag === "ModelTurned") exchanges.push({ turn: turnOf(event), results: undefined })
    if (event._tag === "ToolsRan") {
      exchanges[event.turn - 1] = { turn: exchanges[event.turn - 1]!.turn, results: resultsOf(event) }
      trees.push({ turn: event.turn, tree: event.tree })
    }
    if (event._tag === "ChatCompacted") compactions.push(compactionOf(event))
    if (event._tag === "ChatRemembered") remembered = rememberedOf(event)
  }
  return {
    requested: requested as Past["requested"],
    started,
    exchanges,
    compactions,
    trees,
    cancelled,
    memory,
    remembered,
    takenUpBy,
    recordedAt: events.at(-1)!.recordedAt
  }
}
