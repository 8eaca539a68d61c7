import { Effect, Option, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { mayAsk, worksIn } from "#domain/access/reach.ts"
import { mayUse } from "#domain/bounded.ts"
import { Chat, ChatCommand } from "#domain/Chat.ts"
import { Workspace } from "#domain/Workspace/decider.ts"
import { fresh, longPatience, Unreadable } from "#engine/ask.ts"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Dispatcher, dispatch } from "#engine/dispatch.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { LanguageModel } from "#ports/LanguageModel.ts"
import type { Prices } from "#ports/ModelSettings.ts"
import { isChoice } from "#ports/modelChoices.ts"
import type { WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { boundsOf } from "#projections/Consumption/bounds.ts"
import { Consumption } from "#projections/Consumption/tables.ts"
import { Api } from "#src/api/Api.ts"
import type { ChatAccepted, ChatRequest, ChatResponse } from "#src/api/Chat.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { fieldProblem, type Problem } from "#src/api/Problem.ts"
import { boundsRefusal, mostTurns } from "#src/usage/bounds.ts"
import { pricesOf } from "#src/usage/cost.ts"
import { bytesMore, Storage } from "#src/usage/Storage.ts"
import { workspaceId } from "#src/workspaces/open.ts"
import { Runs } from "#src/workspaces/queue.ts"
import { streamOf, unlessErased } from "#src/workspaces/restore.ts"
import { commandMetadata, freshOrStale, written } from "./answer.ts"
import { type AskedChat, answerOf, type ChatAnswer, erased, fieldsOf } from "./Chat/answer.ts"
import { wantsEvents } from "./eventStreams.ts"
import { inPieces } from "./pieces.ts"
import { runEvents, takePlace } from "./Runs/stream.ts"
import { orProblem } from "./refusals.ts"
import { notYours } from "./Workspaces/own.ts"

/** After an erasure, the same request is a new chat, unless its idempotency key says that it is a repeat. */
const inGeneration = (metadata: CommandMetadata, generation: number): CommandMetadata =>
  generation === 0 || typeof metadata.request?.fingerprint === "string"
    ? metadata
    : { ...metadata, commandId: derivedId("chat", metadata.commandId, generation) }

const notThisModel = (model: string) =>
  fieldProblem(
    "permission/limited_key",
    "model",
    `This key may not ask for the model ${model}. GET /api/models lists those that it may ask for.`
  )

const noSuchModel = (model: string, isAnyConfigured: boolean) =>
  fieldProblem(
    "validation/invalid_field",
    "model",
    isAnyConfigured
      ? `This service has no model ${JSON.stringify(model)}. GET /api/models lists those that it has.`
      : `The model ${JSON.stringify(model)} needs a language model's API, and none is configured: ask for \`local\`, or the operator to set ANTHROPIC_API_KEY, OPENAI_API_KEY or CAIRN_MODELS.`
  )

/** Records in the log that the caller gives the agent a task in a workspace of theirs. */
const requested = Effect.fnUntraced(function* (payload: typeof ChatRequest.Type) {
  const holder = yield* Caller
  const { tenant, key } = holder
  const { homes, includePublic } = yield* CallerScope
  const { org_id: org, user_id: user, user_query: prompt } = payload
  const model = payload.model ?? "sonnet"
  const workspace = workspaceId(tenant, org, user)
  if (!worksIn(holder, { id: workspace, user })) return yield* notYours
  if (!mayAsk(holder, model)) return yield* notThisModel(model)
  const { generation } = yield* (yield* Dispatcher).state(Workspace, streamOf(workspace))
  const metadata = inGeneration(yield* commandMetadata, generation)
  const run = derivedId("run", metadata.commandId)
  yield* fresh(Consumption, longPatience)
  const most = yield* Effect.orDie(mostTurns(tenant, key))
  const maxTurns = payload.max_turns ?? Math.min(8, most ?? 8)
  // a repeated request goes on with its run, whatever the bounds are now
  const begun = yield* Effect.mapError(
    (yield* EventStore).outcome(`chat-${run}`, metadata.commandId),
    () => new Unreadable()
  )
  if (begun.length === 0) {
    const { choices } = yield* LanguageModel
    if (!isChoice(choices, model)) return yield* noSuchModel(model, choices.locally.length === 0)
    const chatting = { tenant, key, model, turns: maxTurns, requested: null }
    const refusal = yield* Effect.orDie(boundsRefusal(chatting))
    if (refusal !== undefined) return yield* refusal
    yield* (yield* Storage).check({ tenant, key, more: bytesMore(null) })
  }
  const [first] = yield* dispatch(Chat, {
    tenant,
    stream: `chat-${run}`,
    command: ChatCommand.RequestChat({
      run,
      workspace,
      generation,
      homes,
      includePublic,
      key,
      prompt,
      org,
      user,
      model,
      maxTurns,
      memory: payload.memory ?? false
    }),
    ...metadata,
    correlationId: run
  }).pipe(Effect.catchTag(["ChatNotRequested", "ChatStuck", "ChatOver"], Effect.die))
  const { event, position, recordedAt } = first!
  if (event._tag !== "ChatRequested") return yield* Effect.die(new Error("a chat begins with its request"))
  const asked: AskedChat = { run, workspace, generation: event.generation, recordedAt }
  return { asked, position, isErased: event.text === null }
})

type Meanwhile<R> = (asked: AskedChat) => Effect.Effect<unknown, never, R>

/** Requests a chat and waits for the end of its run; what is done `meanwhile` ends with it. */
const ended = Effect.fnUntraced(function* <R>(payload: typeof ChatRequest.Type, meanwhile: Meanwhile<R> | undefined) {
  const { asked, position } = yield* requested(payload)
  const { run, workspace } = asked
  const end = (yield* Runs).end({ run, workspace, position })
  yield* meanwhile === undefined ? end : Effect.raceFirst(end, Effect.andThen(meanwhile(asked), Effect.never))
  return asked
})

/** Whether the caller prefers not to wait (`respond-async` of RFC 7240). */
const prefersAsync = (prefer = "") => /(?:^|,)\s*respond-async\s*(?:[;,]|$)/i.test(prefer)

/** Requests a chat and begins its run, which goes on by itself. */
const begun = Effect.fnUntraced(function* (payload: typeof ChatRequest.Type) {
  const { asked, position, isErased } = yield* requested(payload)
  if (isErased) return yield* erased
  const { run, workspace } = asked
  yield* (yield* Runs).begin({ run, workspace, position })
  yield* written(position)
  return { answer: { run_id: run, workspace_id: workspace } satisfies typeof ChatAccepted.Type, at: `/api/runs/${run}` }
})

/** Answers at once with the run's id. */
const accepted = (payload: typeof ChatRequest.Type) =>
  Effect.map(begun(payload), ({ answer, at }) =>
    HttpServerResponse.jsonUnsafe(answer, {
      status: 202,
      headers: { location: at, "preference-applied": "respond-async" }
    })
  )

/** Answers with the run's events as they happen. */
const streamed = Effect.fnUntraced(function* (payload: typeof ChatRequest.Type) {
  yield* takePlace
  const { answer, at } = yield* begun(payload)
  return yield* runEvents(answer.run_id, { location: at })
})

/** Requests a chat, waits for its end, and gives what `tell` makes of its answer. */
const chatting = <A, E extends WorkspacesUnavailable | Problem, R, R2 = never>(
  payload: typeof ChatRequest.Type,
  tell: (answer: ChatAnswer) => Effect.Effect<A, E, R>,
  meanwhile?: Meanwhile<R2>
) =>
  Effect.gen(function* () {
    const asked = yield* ended(payload, meanwhile)
    const answer = Effect.flatMap(answerOf(asked), tell)
    return yield* unlessErased({ id: asked.workspace, generation: asked.generation }, answer, erased)
  }).pipe(orProblem)

/** The first batch of a list's paths, as a message carries it: at most 500 of them, or 64 KiB and one. */
const first = (batches: ChatAnswer["files"]) =>
  Effect.map(
    Stream.runHead(Stream.filter(batches, ({ length }) => length > 0)),
    Option.getOrElse((): ReadonlyArray<string> => [])
  )

/** A chat's answer as one value, with only the first paths of its lists, and how many there are. */
export const chat = <R>(payload: typeof ChatRequest.Type, meanwhile: Meanwhile<R>) =>
  chatting(
    payload,
    Effect.fnUntraced(function* ({ facts, counts, changed, files }) {
      const named = yield* first(files)
      const answer: typeof ChatResponse.Type = {
        ...facts,
        changed_files: yield* first(changed),
        workspace_files: named,
        org_workspace_files: named
      }
      return { answer, counts }
    }),
    meanwhile
  )

const toldPrices = ({ input, output, cacheRead, cacheWrite }: Prices) => ({
  input,
  output,
  cache_read: cacheRead,
  cache_write: cacheWrite
})

export const layer = HttpApiBuilder.group(Api, "chat", (handlers) =>
  handlers
    .handle("chat", ({ payload, headers }) =>
      Effect.gen(function* () {
        if (prefersAsync(headers.prefer)) return yield* orProblem(accepted(payload))
        const { headers: all } = yield* HttpServerRequest.HttpServerRequest
        if (wantsEvents(all["accept"])) return yield* orProblem(streamed(payload))
        return yield* chatting(payload, (answer) => inPieces(fieldsOf(answer)))
      })
    )
    .handle("models", () =>
      Effect.gen(function* () {
        const holder = yield* Caller
        const { choices } = yield* LanguageModel
        yield* freshOrStale(Consumption)
        const bounds = yield* Effect.orDie(boundsOf(holder.tenant, holder.key))
        const may = (model: string, priced: boolean) => bounds.every((one) => mayUse(one.bounds, { model, priced }))
        const allowed = choices.named.filter(
          ({ name }) => mayAsk(holder, name) && may(name, pricesOf(choices, name) !== undefined)
        )
        const models = allowed.map(({ name, model, api, prices }) => ({
          name,
          model,
          provider: api,
          prices: prices === undefined ? null : toldPrices(prices)
        }))
        // a model asked for by its full id has no name that bounds could allow, and no price
        const full_ids = choices.others && mayAsk(holder, "") && may("", false)
        return { models, full_ids }
      })
    )
)
