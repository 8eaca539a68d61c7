import { randomUUID } from "node:crypto"
import { Cause, Clock, Deferred, Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { isPermitted } from "#domain/access/permitted.ts"
import { mayAsk, worksIn } from "#domain/access/reach.ts"
import { Chat, ChatCommand, type ChatEvent } from "#domain/Chat.ts"
import type { Holder } from "#domain/Scope.ts"
import { type ChatFailure, repositoryOf, Workspace } from "#domain/Workspace.ts"
import { Asker, longPatience } from "#engine/ask.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import type { Recorded } from "#engine/Event.ts"
import { eachOfStream } from "#engine/pages.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type Exchange, LanguageModel, type ModelTurn, type ToolResult } from "#ports/LanguageModel.ts"
import { Sandbox } from "#ports/Sandbox.ts"
import { Workers, WorkingFor } from "#ports/Workers.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { Consumption } from "#projections/Consumption.ts"
import { holderOfKey, Keys } from "#projections/Keys.ts"
import { Search } from "#src/snippets/search.ts"
import { boundsRefusal, told } from "#src/usage/bounds.ts"
import { endingId, endRun } from "./commit.ts"
import type { Compaction } from "./compact.ts"
import { untilEnded } from "./faults.ts"
import { findSnippets } from "./findSnippets.ts"
import { ConversationStopped, converse, usageOf } from "./loop.ts"
import { awayIn, removeRepository, streamOf } from "./restore.ts"
import { Spoken } from "./spoken.ts"
import { systemPrompt } from "./system.ts"
import { toolset } from "./tools/toolset.ts"
import { underTrace } from "./trace.ts"
import { compactionOf, recordedCompaction, recordedTurn, resultsOf, turnOf } from "./turns.ts"

type Case<T extends ChatEvent["_tag"]> = Extract<ChatEvent, { readonly _tag: T }>

/** What the log has of a run. */
interface Past {
  readonly requested: Recorded<Case<"ChatRequested">>
  readonly started: Case<"ChatStarted"> | undefined
  readonly exchanges: ReadonlyArray<Exchange>
  /** Oldest first. */
  readonly compactions: ReadonlyArray<Compaction>
  /** The tree after the last recorded round of tools. */
  readonly tree: string | undefined
  readonly cancelled: boolean
  readonly recordedAt: number
}

/** A run is taken up once by each process, however often that has to begin again because its store was away. */
const thisProcess = randomUUID()

/** Another process has gone on with this run: begin again from what the log has. */
const superseded = "superseded"
const revoked = "revoked"
const bounded = "bounded"
const cancelled = "cancelled"

const wasCancelled = { code: "cancelled", error: "The run was cancelled. What it had written is saved." } as const

const pastOf = (events: ReadonlyArray<Recorded<ChatEvent>>): Past | undefined => {
  const [requested] = events
  if (requested?.event._tag !== "ChatRequested") return undefined
  let started: Past["started"]
  let tree: string | undefined
  let cancelled = false
  const exchanges: Array<Exchange> = []
  const compactions: Array<Compaction> = []
  for (const { event } of events) {
    if (event._tag === "ChatStarted") started = event
    if (event._tag === "ChatCancelled") cancelled = true
    if (event._tag === "ModelTurned") exchanges.push({ turn: turnOf(event), results: undefined })
    if (event._tag === "ToolsRan") {
      exchanges[event.turn - 1] = { turn: exchanges[event.turn - 1]!.turn, results: resultsOf(event) }
      tree = event.tree
    }
    if (event._tag === "ChatCompacted") compactions.push(compactionOf(event))
  }
  return {
    requested: requested as Past["requested"],
    started,
    exchanges,
    compactions,
    tree,
    cancelled,
    recordedAt: events.at(-1)!.recordedAt
  }
}

/**
 * Carries a run to its end, from wherever the log has it (`resumed`: whoever had it before may have ended because of it): asks the model, runs its tools, each step recorded before the
 * next, and at last commits. It is cancelled by its event; `stopped` settles when that has been recorded. Answers when the workspace's stream has the run's end; what it ends with is in the log.
 */
export const carryOut = Effect.fnUntraced(function* (run: string, resumed: boolean, stopped: Deferred.Deferred<void>) {
  /** Whether another process had begun it, and ended in the midst of it. */
  let takenUp: boolean | undefined
  const store = yield* EventStore
  const dispatcher = yield* Dispatcher
  const workspaces = yield* WorkspaceStore
  const sandbox = yield* Sandbox
  const model = yield* LanguageModel
  const search = yield* Search
  const workers = yield* Workers
  const asker = yield* Asker
  const spoken = yield* Spoken
  const sql = yield* SqlClient.SqlClient
  const stream = `chat-${run}`

  const read = Effect.suspend(() => {
    const events: Array<Recorded<ChatEvent>> = []
    return Effect.map(
      eachOfStream(stream, -1, (event) => events.push(event as Recorded<ChatEvent>)),
      () => pastOf(events)
    )
  }).pipe(Effect.provideService(EventStore, store))

  /** `fault`: what the same step has failed with twice. */
  const goOn = Effect.fnUntraced(function* (from: Past, fault: string | undefined) {
    let past = from
    takenUp ??= resumed && past.started !== undefined
    if ((yield* store.outcome(streamOf(past.requested.event.workspace), endingId(run))).length > 0) return
    const { requested } = past
    const { workspace, generation, model: name, maxTurns, homes, includePublic, key, text } = requested.event
    const { tenant, actor } = requested
    const repository = repositoryOf(workspace, generation)
    // its workspace was erased; nothing that was at work in it since may stay
    if (text === null) return yield* removeRepository(workspace, generation)

    const mayGoOn = (holder: Holder | undefined, now: number) =>
      isPermitted(holder, "chat.chat", now) &&
      worksIn(holder, { id: workspace, user: text.user }) &&
      mayAsk(holder, name)

    const inPlace = Effect.flatMap(dispatcher.state(Workspace, streamOf(workspace)), (state) =>
      state.generation === generation ? Effect.succeed(state) : new ConversationStopped({ reason: superseded })
    )
    // to open it makes its repository: afterwards it must still be there to be removed by who erases it
    const open = (tree: string | undefined) => Effect.tap(workspaces.open(repository, tree), () => inPlace)

    const tell = (commandId: string, command: ChatCommand) =>
      dispatcher.dispatch(Chat, { tenant, stream, command, commandId, actor, correlationId: run, causationId: null })
    const record = (kind: string, turn: number, command: ChatCommand) =>
      tell(derivedId("step", run, turn, kind), command).pipe(
        // the step is done: neither the model nor a tool must be asked again because the log is away
        Effect.retry({ while: ({ _tag }) => _tag === "Busy", schedule: Schedule.spaced("1 second") }),
        Effect.mapError(() => new ConversationStopped({ reason: superseded }))
      )

    let time = past.recordedAt
    let base = past.started?.base
    if (base === undefined) {
      const { head } = yield* inPlace
      const [event] = yield* tell(derivedId("start", run), ChatCommand.StartChat({ base: head }))
      if (event?.event._tag !== "ChatStarted") return
      base = event.event.base
      time = event.recordedAt
    }
    let tree = past.tree ?? base?.tree

    const end = Effect.fnUntraced(function* (
      output: string,
      failure: { readonly code: ChatFailure; readonly error: string } | null,
      fault?: string
    ) {
      const now = yield* read
      const exchanges = now?.exchanges ?? []
      const overlay = yield* open(tree)
      yield* endRun({
        run,
        tenant,
        actor,
        workspace,
        generation,
        org: text.org,
        user: text.user,
        prompt: text.prompt,
        base,
        output,
        // also when it was done before it heard of that
        failure: now?.cancelled ? wasCancelled : failure,
        tree: tree ?? (yield* workspaces.save(repository, overlay)),
        time: now?.recordedAt ?? time,
        turns: exchanges.length,
        ...usageOf([...exchanges.map(({ turn }) => turn), ...(now?.compactions ?? [])].map(({ usage }) => usage))
      }).pipe(Effect.catchTag("WorkspaceGone", () => new ConversationStopped({ reason: superseded })))
      if (failure === null) return
      // its code, and of the model's API what is all our own: the error itself may quote it
      const why = fault === undefined ? failure.code : `${failure.code}: ${fault}`
      yield* Effect.logWarning(`a chat failed (${why})`).pipe(Effect.annotateLogs({ workspace }))
    })

    if (past.cancelled) return yield* end("", wasCancelled)

    if (fault !== undefined) {
      const error = `The run failed twice at the same step (${fault}) and was given up. What it had written is saved.`
      return yield* end("", { code: "interrupted", error }, fault)
    }

    if (takenUp) {
      const stuck = yield* tell(derivedId("resume", run, thisProcess), ChatCommand.ResumeChat()).pipe(
        Effect.as(false),
        Effect.catchTag("ChatStuck", () => Effect.succeed(true))
      )
      if (stuck) {
        const error =
          "The run was interrupted three times at the same step and was given up. What it had written is saved."
        return yield* end("", { code: "interrupted", error })
      }
      // a step that the one before had on its way when it ended is in the log by now, or never: its place is taken
      past = (yield* read) ?? past
      tree = past.tree ?? base?.tree
    }
    const history = past.exchanges
    const compaction = past.compactions.at(-1)
    /** What a bound that is reached says, once it is. */
    let overBound = ""

    yield* Effect.scoped(
      Effect.gen(function* () {
        const overlay = yield* open(tree)
        const shell = yield* sandbox.open(overlay)
        const scope = {
          home: homes[0] ?? tenant,
          homes,
          includePublic: includePublic && name !== "local",
          agent: null,
          workspace: null
        }
        const find = (task: string, topK: number) =>
          findSnippets(scope, task, topK).pipe(
            Effect.provideService(Search, search),
            Effect.provideService(Asker, asker)
          )
        const conversing = converse({
          model: name,
          system: systemPrompt(text.org, text.user),
          prompt: text.prompt,
          tools: toolset(overlay, shell, workers, find),
          maxTurns,
          history,
          compaction,
          beforeTurn: Effect.fnUntraced(function* (turn: number) {
            const holder = yield* asker.fresh(Keys, longPatience).pipe(
              Effect.andThen(holderOfKey(key)),
              Effect.provideService(SqlClient.SqlClient, sql),
              Effect.mapError(() => new ConversationStopped({ reason: superseded }))
            )
            if (!mayGoOn(holder, yield* Clock.currentTimeMillis)) {
              return yield* new ConversationStopped({ reason: revoked })
            }
            const refusal = yield* asker.fresh(Consumption, longPatience).pipe(
              Effect.andThen(boundsRefusal({ tenant, key, model: name, turns: turn, requested })),
              Effect.provideService(SqlClient.SqlClient, sql),
              Effect.provideService(LanguageModel, model),
              Effect.mapError(() => new ConversationStopped({ reason: superseded }))
            )
            if (refusal === undefined) return
            overBound = `${told(refusal)} What the run had written is saved.`
            return yield* new ConversationStopped({ reason: bounded })
          }),
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
            if (event.event.tree !== saved) return yield* new ConversationStopped({ reason: superseded })
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
        // the command that ran has ended by now; what it wrote is kept, too
        tree = yield* Effect.orDie(workspaces.save(repository, overlay))
        return yield* new ConversationStopped({ reason: cancelled })
      })
    ).pipe(
      Effect.provideService(WorkingFor, tenant),
      Effect.flatMap(({ output, ended, error }) => {
        if (ended === "done") return end(output, null)
        if (ended === "max_turns") {
          const error = `The agent used all of its ${maxTurns} turns before it was done. What it had written is saved: ask it to go on, or give it more max_turns.`
          return end(output, { code: "max_turns", error })
        }
        return end(output, { code: "model", error })
      }),
      Effect.catchTag("ModelFailed", ({ message, fault }) => end("", { code: "model", error: message }, fault)),
      Effect.catchIf(
        (error) => error._tag === "ConversationStopped" && error.reason === revoked,
        () =>
          end("", {
            code: "revoked",
            error:
              "The API key of this run was revoked, has expired, or may not do this any more. What it had written is saved."
          })
      ),
      Effect.catchIf(
        (error) => error._tag === "ConversationStopped" && error.reason === bounded,
        () => end("", { code: "bound", error: overBound })
      ),
      Effect.catchIf(
        (error) => error._tag === "ConversationStopped" && error.reason === cancelled,
        () => end("", wasCancelled)
      )
    )
  })

  const attempt = (fault: string | undefined) =>
    Effect.flatMap(read, (past) =>
      past === undefined ? Effect.void : underTrace(run, past.requested.request)(goOn(past, fault))
    )

  /**
   * What fails on a repository that was erased is no fault: the next look at the log ends the run. The disk's faults in
   * the hands of a tool or a hook are the same as elsewhere.
   */
  const erasedMeanwhile = Effect.fnUntraced(function* <E>(cause: Cause.Cause<E>) {
    const past = yield* read
    const fault = awayIn(cause)
    if ((fault !== undefined || Cause.hasDies(cause)) && past?.requested.event.text === null) return false
    return yield* fault ?? Effect.failCause(cause)
  })

  yield* untilEnded(
    (fault) =>
      attempt(fault).pipe(
        Effect.as(true),
        Effect.catchTag("ConversationStopped", () => Effect.as(Effect.sleep("50 millis"), false)),
        Effect.catchCause(erasedMeanwhile)
      ),
    Effect.map(read, (past) => past?.exchanges.length ?? 0)
  ).pipe(Effect.ensuring(Effect.sync(() => spoken.silence(run))), Effect.annotateLogs({ run }))
})
