import { Cause, Effect, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import type { SqlClient } from "effect/sql"
import type { ChatEvent } from "#domain/Chat.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import type { Asker } from "#engine/ask.ts"
import type { Codec } from "#engine/codec.ts"
import type { Dispatcher } from "#engine/dispatch.ts"
import type { Recorded } from "#engine/Event.ts"
import { jsonPieces } from "#engine/jsonPieces.ts"
import type { EventStore } from "#engine/ports/EventStore.ts"
import type { Tail } from "#engine/tail.ts"
import type { Installation } from "#ports/Installation.ts"
import { type StoredChange, WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import type { Closing } from "#src/closing.ts"
import { memoryFile } from "#src/workspaces/account.ts"
import { followRun, type Parting, type RunNews } from "#src/workspaces/following.ts"
import { unlessErased } from "#src/workspaces/restore.ts"
import type { Spoken } from "#src/workspaces/spoken.ts"
import { textOf as textOfTurn } from "#src/workspaces/transcript.ts"
import { rememberedOf, resultsOf, turnOf } from "#src/workspaces/turns.ts"
import { erased } from "../Chat/answer.ts"
import { cutWhenStopping, eventStream, eventStreamPlaces } from "../eventStreams.ts"
import { streamInTurns, textOf } from "../pieces.ts"
import { type OwnRun, ownRun, shownResults, shownRun, shownUsage } from "./own.ts"

/** The most streams of one key at a time, in a process: a back end may listen for many people. */
const places = eventStreamPlaces(256)

/** The most changed files that a round of tools names. */
const named = 500

const badLastEventId = fieldProblem(
  "validation/invalid_field",
  "Last-Event-ID",
  "Last-Event-ID is no id of this run's stream; expected the id of the last event that came, a number."
)

const said: { readonly [P in Parting]: string } = {
  revoked:
    "The API key was revoked, has expired, or may not do this any more. The run ends at its next turn when it was asked for with it.",
  stopping: "The service is stopping. The run goes on: connect again, with the Last-Event-ID.",
  unavailable:
    "The service can't read its store at the moment. The run goes on: connect again, with the Last-Event-ID.",
  erased: "The workspace was erased, and this run with it."
}

const message = (event: string, data: object, id?: number): Stream.Stream<string> =>
  streamInTurns(
    (function* () {
      yield `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: `
      yield* jsonPieces(data)
      yield "\n\n"
    })()
  )

const parting = (why: Parting) => message("end", { reason: why, message: said[why] })

/** What differs between two trees of a run: the first files, and how many; `null`: git has the trees no more. */
const changedIn = (repository: string, from: string | undefined, to: string) =>
  Effect.flatMap(WorkspaceStore, (git) =>
    Stream.runFold(
      git.eachChange(repository, from, to),
      () => ({ changed_files: [] as ReadonlyArray<StoredChange>, changed: 0 }),
      ({ changed_files, changed }, changes) => ({
        changed_files: changed < named ? [...changed_files, ...changes].slice(0, named) : changed_files,
        changed: changed + changes.length
      })
    )
  ).pipe(
    // git removes trees that no commit has, some day after the run
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.succeed({ changed_files: null, changed: null })
    )
  )

/** Tells a run's news as messages. Compares the tree of each round of tools with the one before it. */
const telling = ({ id: run, requested, requestedAt, events }: OwnRun, after: number) => {
  const { workspace, generation, model, maxTurns } = requested
  const memory = events.some(({ event }) => event._tag === "MemoryAsked")
  let tree: string | undefined
  const seen = ({ event }: Recorded<ChatEvent>) => {
    if (event._tag === "ChatStarted") tree = event.base?.tree
    if (event._tag === "ToolsRan") tree = event.tree
  }
  events.filter(({ revision }) => revision <= after).forEach(seen)

  const step = Effect.fnUntraced(function* (recorded: Recorded<ChatEvent>) {
    const { event, revision: id } = recorded
    const before = tree
    seen(recorded)
    switch (event._tag) {
      case "ChatRequested": {
        const requested_at = new Date(requestedAt).toISOString()
        return message(
          "requested",
          { run_id: run, workspace_id: workspace, model, max_turns: maxTurns, memory, requested_at },
          id
        )
      }
      // `requested` tells it
      case "MemoryAsked":
        return Stream.empty as Stream.Stream<string>
      case "ChatStarted":
        return message("started", { commit: event.base?.commit ?? null }, id)
      case "ChatResumed":
        return message("resumed", { attempt: event.attempt }, id)
      case "ChatCompacted":
        return message("compacted", { turn: event.turn, up_to: event.upTo }, id)
      case "ChatRemembered":
        return message(
          "remembered",
          { how: event.how, path: memoryFile, usage: shownUsage(rememberedOf(event).usage) },
          id
        )
      case "ChatCancelled":
        return message("cancelling", {}, id)
      case "ModelTurned": {
        const turn = turnOf(event)
        const tool_calls = turn.says.flatMap((one) =>
          one._tag === "ToolCall" ? [{ id: one.id, name: one.name, input: one.input }] : []
        )
        const text = textOfTurn(turn)
        return message("turn", { turn: event.turn, text, tool_calls, usage: shownUsage(turn.usage) }, id)
      }
      case "ToolsRan": {
        const results = shownResults(resultsOf(event))
        const changes = yield* changedIn(repositoryOf(workspace, generation), before, event.tree)
        return message("tools", { turn: event.turn, results, ...changes }, id)
      }
    }
  })

  const answer = Effect.map(
    unlessErased({ id: workspace, generation }, Effect.flatMap(ownRun(run), shownRun), erased),
    (fields) =>
      Stream.make("event: answer\ndata: ").pipe(Stream.concat(textOf(fields)), Stream.concat(Stream.make("\n\n")))
  )

  return (news: RunNews) => {
    switch (news._tag) {
      case "Step":
        return step(news.step)
      case "Words":
        return Effect.succeed(message("text", news.words))
      case "Silence":
        return Effect.succeed(Stream.succeed(": nothing new\n\n"))
      case "Over":
        return Effect.catch(answer, (error) =>
          Effect.succeed(parting(error._tag === "Problem" ? "erased" : "unavailable"))
        )
      case "End":
        return Effect.succeed(parting(news.why))
    }
  }
}

/** Takes one of the key's places for streams of runs; fails if all are taken, before anything is begun. */
export const takePlace = Effect.gen(function* () {
  const { key } = yield* Caller
  yield* places.take(key, yield* HttpServerRequest.HttpServerRequest)
})

/** The caller's own run as events, after the one that the request's `Last-Event-ID` names. */
export const runEvents = Effect.fnUntraced(function* (given: string, headers?: { readonly [name: string]: string }) {
  const { key, tenant } = yield* Caller
  const request = yield* HttpServerRequest.HttpServerRequest
  const last = request.headers["last-event-id"] ?? ""
  if (!/^\d{0,9}$/.test(last)) return yield* badLastEventId
  const after = last === "" ? -1 : Number(last)
  const run = yield* ownRun(given)
  const { workspace, generation } = run.requested
  const known = run.events.filter(({ revision }) => revision <= after)
  const turns = known.reduce((turns, { event }) => (event._tag === "ModelTurned" ? event.turn : turns), 0)
  const services = yield* Effect.context<
    | EventStore
    | Codec
    | Tail
    | Closing
    | Asker
    | Dispatcher
    | Spoken
    | WorkspaceStore
    | SqlClient.SqlClient
    | Installation
    | Caller
    | HttpServerRequest.HttpServerRequest
  >()
  const news = followRun({ run: run.id, workspace, generation, user: run.user, tenant, key, after, turns })
  const tell = telling(run, after)
  const messages = Stream.unwrap(Effect.as(cutWhenStopping(request), news)).pipe(
    Stream.flatMap((one) => Stream.unwrap(tell(one)))
  )
  return eventStream(Stream.provideContext(messages, services), headers)
})
