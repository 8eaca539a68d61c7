import { Deferred, Effect } from "effect"
import { ChatCommand } from "#domain/Chat.ts"
import type { ChatFailure } from "#domain/Workspace/events.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { Asker } from "#engine/ask.ts"
import { LanguageModel, type ModelTurn, type ToolResult } from "#ports/LanguageModel.ts"
import { Sandbox } from "#ports/Sandbox.ts"
import { Workers, WorkingFor } from "#ports/Workers.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { Search } from "#src/snippets/search.ts"
import type { Account } from "./account.ts"
import { bytesOf } from "./brought.ts"
import type { Compaction } from "./compact.ts"
import { findSnippets } from "./findSnippets.ts"
import { type ConversationResult, ConversationStopped, converse } from "./loop.ts"
import type { Past } from "./past.ts"
import type { Permission } from "./permitted.ts"
import { type Recording, superseded } from "./recording.ts"
import { Spoken } from "./spoken.ts"
import { openingOf } from "./told.ts"
import { toolset } from "./tools/toolset.ts"
import { compactionOf, recordedCompaction, recordedTurn, resultsOf, turnOf } from "./turns.ts"

/** How a run's work has ended; it is not committed yet. */
export interface Ended {
  readonly output: string
  readonly failure: { readonly code: ChatFailure; readonly error: string } | null
  /** The fault of the model's API or of this service, in our own words only. */
  readonly fault?: string
  /** Whether the model came to its end, so that it can be asked for an account of the chat. */
  readonly concluded: boolean
}

export const wasCancelled = {
  code: "cancelled",
  error: "The run was cancelled. What it had written is saved."
} as const

/** What a conversation's end means for its run. */
export const endedWith = ({ output, ended, error }: ConversationResult, maxTurns: number): Ended => {
  if (ended === "done") return { output, failure: null, concluded: true }
  if (ended === "failed") return { output, failure: { code: "model", error }, concluded: true }
  const told = `The agent used all of its ${maxTurns} turns before it was done. What it had written is saved: ask it to go on, or give it more max_turns.`
  return { output, failure: { code: "max_turns", error: told }, concluded: true }
}

/** What a run goes on from. */
export interface From {
  readonly past: Past
  /** The tree of the head that it began on. */
  readonly base: string | undefined
  readonly tree: string | undefined
  /** The account that the run began on. */
  readonly account: Account
}

/**
 * Lets the run's model and its tools work from wherever the log has the run, each step recorded before the next.
 * Answers how the work ended, and the tree of its files. Fails if the run is superseded.
 */
export const work = Effect.fnUntraced(function* (
  run: string,
  { past, base, tree: begun, account }: From,
  { record, open }: Recording,
  beforeTurn: Permission,
  stopped: Deferred.Deferred<void>
) {
  const { requested, exchanges: history, compactions } = past
  const { workspace, generation, model: name, maxTurns, homes, includePublic } = requested.event
  const { tenant } = requested
  const repository = repositoryOf(workspace, generation)
  const workspaces = yield* WorkspaceStore
  const sandbox = yield* Sandbox
  const model = yield* LanguageModel
  const workers = yield* Workers
  const spoken = yield* Spoken
  const search = yield* Search
  const asker = yield* Asker
  let tree = begun

  const scope = {
    home: homes[0] ?? tenant,
    homes,
    includePublic: includePublic && name !== "local",
    agent: null,
    workspace: null
  }
  const find = (task: string, topK: number) =>
    findSnippets(scope, task, topK).pipe(Effect.provideService(Search, search), Effect.provideService(Asker, asker))

  const written = Effect.suspend(() =>
    tree === undefined || tree === base
      ? Effect.succeed(0)
      : Effect.orDie(Effect.map(workspaces.compare(repository, base, tree), bytesOf))
  )

  const working = Effect.gen(function* () {
    const overlay = yield* open(tree)
    const shell = yield* sandbox.open(overlay)
    const conversing = converse({
      ...openingOf(past, account, model.choices),
      tools: toolset(overlay, shell, workers, find),
      maxTurns,
      history,
      compaction: compactions.at(-1),
      beforeTurn: (turn) => beforeTurn(turn, written),
      hearing: (turn) => spoken.turn(run, turn),
      onTurn: Effect.fnUntraced(function* (turn: number, said: ModelTurn) {
        const [event] = yield* record("turn", turn, ChatCommand.RecordTurn({ turn, ...recordedTurn(said) }))
        spoken.silence(run)
        return event?.event._tag === "ModelTurned" ? turnOf(event.event) : said
      }),
      onTools: Effect.fnUntraced(function* (turn: number, results: ReadonlyArray<ToolResult>) {
        const saved = yield* Effect.orDie(workspaces.save(repository, overlay))
        const [event] = yield* record("tools", turn, ChatCommand.RecordTools({ turn, results, tree: saved }))
        if (event?.event._tag !== "ToolsRan") return results
        // the files in hand are not the recorded ones
        if (event.event.tree !== saved) return yield* superseded()
        tree = saved
        return resultsOf(event.event)
      }),
      onCompaction: Effect.fnUntraced(function* (made: Compaction) {
        const command = ChatCommand.RecordCompaction(recordedCompaction(made))
        const [event] = yield* record("compaction", made.turn, command)
        return event?.event._tag === "ChatCompacted" ? compactionOf(event.event) : made
      })
    }).pipe(Effect.provideService(LanguageModel, model))
    const first = yield* Effect.raceFirst(conversing, Effect.as(Deferred.await(stopped), undefined))
    if (first !== undefined) return first
    // the shell command that ran has ended by now: what it wrote is kept, too
    tree = yield* Effect.orDie(workspaces.save(repository, overlay))
    return yield* new ConversationStopped({ reason: "cancelled", error: wasCancelled.error })
  })

  const ended = yield* Effect.scoped(working).pipe(
    Effect.provideService(WorkingFor, tenant),
    Effect.map((result) => endedWith(result, maxTurns)),
    Effect.catchTag("ModelFailed", ({ message, fault }) =>
      Effect.succeed<Ended>({ output: "", failure: { code: "model", error: message }, fault, concluded: false })
    ),
    Effect.catchTag("ConversationStopped", (stopped) => {
      const { reason, error = "" } = stopped
      if (reason === "superseded") return Effect.fail(stopped)
      return Effect.succeed<Ended>({ output: "", failure: { code: reason, error }, concluded: false })
    })
  )
  return { ended, tree }
})
