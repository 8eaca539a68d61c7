import { Data, HashSet, Result, Schema } from "effect"
import type { Decider } from "#engine/Decider.ts"
import { text } from "#engine/Event.ts"
import { workspaceSubject } from "./Workspace/generations.ts"

const Content = Schema.Array(Schema.Record(Schema.String, Schema.Unknown))
const Results = Schema.Array(
  Schema.Struct({ toolUseId: Schema.String, content: Schema.String, isError: Schema.Boolean })
)

/**
 * How a chat is remembered. `written`: its model rewrote the account of all chats. `listed`: the model could not, so
 * the chat is one more line of the account. `kept`: the file can't be read and written whole, so it stays.
 */
export const Remembering = Schema.Literals(["written", "listed", "kept"])
export type Remembering = typeof Remembering.Type

/** Stored for good: add a tag or a version, never change the meaning of one. */
export const ChatEvent = Schema.TaggedUnion({
  ChatRequested: {
    run: Schema.String,
    workspace: Schema.String,
    generation: Schema.Int,
    /** Which snippets the run may search, and the key whose revocation ends it. */
    homes: Schema.Array(Schema.String),
    includePublic: Schema.Boolean,
    key: Schema.String,
    model: Schema.String,
    maxTurns: Schema.Int,
    ...text({ prompt: Schema.String, org: Schema.String, user: Schema.String })
  },
  /**
   * Comes with ChatRequested. The model is told the workspace's memory first, and what the chat came to is added to it.
   */
  MemoryAsked: { run: Schema.String },
  /** The run begins on the head that its workspace has now (`null` if the workspace is empty). */
  ChatStarted: {
    run: Schema.String,
    base: Schema.NullOr(Schema.Struct({ commit: Schema.String, tree: Schema.String }))
  },
  /** A process resumed the run, which another one had left after `step` whole steps. */
  ChatResumed: { run: Schema.String, step: Schema.Int, attempt: Schema.Int },
  /** Somebody asked to stop the run. The process that carries it ends it, and keeps what was written. */
  ChatCancelled: { run: Schema.String },
  ModelTurned: {
    run: Schema.String,
    turn: Schema.Int,
    /** The full name of the model that answered, whatever name was asked for; `null` if it was not recorded. */
    model: Schema.NullOr(Schema.String),
    stopReason: Schema.String,
    /** Includes the tokens of the provider's prompt cache. */
    inputTokens: Schema.Int,
    outputTokens: Schema.Int,
    cacheReadTokens: Schema.Int,
    cacheWriteTokens: Schema.Int,
    ...text({ content: Content })
  },
  ToolsRan: { run: Schema.String, turn: Schema.Int, tree: Schema.String, ...text({ results: Results }) },
  /** From here on the model is told the summary in place of turns 1 to `upTo`: it can't read all turns. */
  ChatCompacted: {
    run: Schema.String,
    /** How many turns the run had. */
    turn: Schema.Int,
    upTo: Schema.Int,
    /** The full name of the model that wrote the summary; `null` if none could, so it is a list of the steps. */
    model: Schema.NullOr(Schema.String),
    inputTokens: Schema.Int,
    outputTokens: Schema.Int,
    cacheReadTokens: Schema.Int,
    cacheWriteTokens: Schema.Int,
    ...text({ summary: Schema.String })
  },
  /**
   * The memory of the run's workspace after the run. The run's commit has it, unless the file was changed meanwhile.
   */
  ChatRemembered: {
    run: Schema.String,
    how: Remembering,
    /** The full name of the model that wrote the account; `null` if none did. */
    model: Schema.NullOr(Schema.String),
    inputTokens: Schema.Int,
    outputTokens: Schema.Int,
    cacheReadTokens: Schema.Int,
    cacheWriteTokens: Schema.Int,
    /** `from`: the digest of the account that this one replaces; `null` if there was none. */
    ...text({ account: Schema.String, from: Schema.NullOr(Schema.String) })
  }
})
export type ChatEvent = typeof ChatEvent.Type
const Event = ChatEvent.cases

type Content = typeof Content.Type
type Results = typeof Results.Type

export type ChatCommand = Data.TaggedEnum<{
  RequestChat: {
    readonly run: string
    readonly workspace: string
    readonly generation: number
    readonly homes: ReadonlyArray<string>
    readonly includePublic: boolean
    readonly key: string
    readonly model: string
    readonly maxTurns: number
    readonly prompt: string
    readonly org: string
    readonly user: string
    /** Whether its workspace's memory is read and written. */
    readonly memory: boolean
  }
  StartChat: { readonly base: { readonly commit: string; readonly tree: string } | null }
  ResumeChat: Record<never, never>
  /** `ended`: whether the workspace's stream has the end of the chat. */
  CancelChat: { readonly ended: boolean }
  RecordTurn: {
    readonly turn: number
    readonly model: string | null
    readonly content: Content
    readonly stopReason: string
    readonly inputTokens: number
    readonly outputTokens: number
    readonly cacheReadTokens: number
    readonly cacheWriteTokens: number
  }
  RecordTools: { readonly turn: number; readonly results: Results; readonly tree: string }
  RecordCompaction: {
    readonly turn: number
    readonly upTo: number
    readonly summary: string
    readonly model: string | null
    readonly inputTokens: number
    readonly outputTokens: number
    readonly cacheReadTokens: number
    readonly cacheWriteTokens: number
  }
  RecordMemory: {
    readonly how: Remembering
    readonly account: string
    readonly from: string | null
    readonly model: string | null
    readonly inputTokens: number
    readonly outputTokens: number
    readonly cacheReadTokens: number
    readonly cacheWriteTokens: number
  }
}>
export const ChatCommand = Data.taggedEnum<ChatCommand>()

/** A step of a run that was never requested. */
export class ChatNotRequested extends Data.TaggedError("ChatNotRequested") {}
/** The run was resumed three times at the same step without getting past it. */
export class ChatStuck extends Data.TaggedError("ChatStuck")<{ readonly attempts: number }> {}
/** There is nothing to cancel: the run has ended, or was cancelled before and is about to end. */
export class ChatOver extends Data.TaggedError("ChatOver")<{ readonly why: "ended" | "cancelled" }> {}
export type ChatRefusal = ChatNotRequested | ChatStuck | ChatOver

export interface ChatState {
  readonly run: string | undefined
  readonly subject: string
  readonly started: boolean
  readonly cancelled: boolean
  /** Whether the chat is still to be remembered. */
  readonly memory: boolean
  /** How many turns, rounds of tools, compactions and memories are recorded. */
  readonly step: number
  /** How often the run was resumed at this step. */
  readonly attempts: number
  readonly turns: HashSet.HashSet<number>
  readonly rounds: HashSet.HashSet<number>
  /** The turns after which a summary replaced earlier ones. */
  readonly compactions: HashSet.HashSet<number>
}

const maxAttempts = 3

/** One run of the agent: the request, then each step, so that another process can go on after the last one. */
export const Chat: Decider<ChatCommand, ChatEvent, ChatState, ChatRefusal> = {
  initial: {
    run: undefined,
    subject: "",
    started: false,
    cancelled: false,
    memory: false,
    step: 0,
    attempts: 0,
    turns: HashSet.empty(),
    rounds: HashSet.empty(),
    compactions: HashSet.empty()
  },

  decide: (command, state) => {
    type Decision = Result.Result<Array<ChatEvent>, ChatRefusal>
    if (command._tag === "RequestChat") {
      if (state.run !== undefined) return Result.succeed([])
      const { _tag, prompt, org, user, memory, ...facts } = command
      const subject = workspaceSubject(facts.workspace, facts.generation)
      const requested = Event.ChatRequested.make({ ...facts, subject, text: { prompt, org, user } })
      return Result.succeed(memory ? [requested, Event.MemoryAsked.make({ run: facts.run })] : [requested])
    }
    const { run, subject } = state
    if (run === undefined) return Result.fail(new ChatNotRequested())
    return ChatCommand.$match(command, {
      RequestChat: (): Decision => Result.succeed([]),
      StartChat: ({ base }): Decision => Result.succeed(state.started ? [] : [Event.ChatStarted.make({ run, base })]),
      ResumeChat: (): Decision =>
        state.attempts >= maxAttempts
          ? Result.fail(new ChatStuck({ attempts: state.attempts }))
          : Result.succeed([Event.ChatResumed.make({ run, step: state.step, attempt: state.attempts + 1 })]),
      CancelChat: ({ ended }): Decision => {
        if (ended || state.cancelled) return Result.fail(new ChatOver({ why: ended ? "ended" : "cancelled" }))
        return Result.succeed([Event.ChatCancelled.make({ run })])
      },
      RecordTurn: ({ _tag, content, ...turn }): Decision =>
        Result.succeed(
          HashSet.has(state.turns, turn.turn)
            ? []
            : [Event.ModelTurned.make({ run, ...turn, subject, text: { content } })]
        ),
      RecordTools: ({ turn, tree, results }): Decision =>
        Result.succeed(
          HashSet.has(state.rounds, turn) ? [] : [Event.ToolsRan.make({ run, turn, tree, subject, text: { results } })]
        ),
      RecordCompaction: ({ _tag, summary, ...compaction }): Decision =>
        Result.succeed(
          HashSet.has(state.compactions, compaction.turn)
            ? []
            : [Event.ChatCompacted.make({ run, ...compaction, subject, text: { summary } })]
        ),
      RecordMemory: ({ _tag, account, from, ...memory }): Decision =>
        Result.succeed(
          state.memory ? [Event.ChatRemembered.make({ run, ...memory, subject, text: { account, from } })] : []
        )
    })
  },

  evolve: (state, event) =>
    ChatEvent.match(event, {
      ChatRequested: ({ run, subject }) => ({ ...state, run, subject }),
      MemoryAsked: () => ({ ...state, memory: true }),
      ChatStarted: () => ({ ...state, started: true }),
      ChatResumed: ({ attempt }) => ({ ...state, attempts: attempt }),
      ChatCancelled: () => ({ ...state, cancelled: true }),
      ModelTurned: ({ turn }) => ({
        ...state,
        step: state.step + 1,
        attempts: 0,
        turns: HashSet.add(state.turns, turn)
      }),
      ToolsRan: ({ turn }) => ({
        ...state,
        step: state.step + 1,
        attempts: 0,
        rounds: HashSet.add(state.rounds, turn)
      }),
      ChatCompacted: ({ turn }) => ({
        ...state,
        step: state.step + 1,
        attempts: 0,
        compactions: HashSet.add(state.compactions, turn)
      }),
      ChatRemembered: () => ({ ...state, step: state.step + 1, attempts: 0, memory: false })
    })
}
