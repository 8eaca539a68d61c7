import { Effect } from "effect"
import { Workspace } from "#domain/Workspace/decider.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { formSchema } from "#ports/formSchema.ts"
import { LanguageModel, type Usage } from "#ports/LanguageModel.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import type { TurnList } from "#src/api/turns.ts"
import { slight } from "#src/portions.ts"
import { costOfUsage } from "#src/usage/cost.ts"
import { mostOfTalk, sizeOf } from "#src/workspaces/compact.ts"
import { pastOf } from "#src/workspaces/past.ts"
import { removeRepository, streamOf, unlessErased } from "#src/workspaces/restore.ts"
import { compactionAt, toldAt } from "#src/workspaces/told.ts"
import { compactionOf, recordedTurn, rememberedOf, turnOf } from "#src/workspaces/turns.ts"
import { Answers, copies } from "../answers.ts"
import { inOnePiece } from "../pieces.ts"
import { isoOf, noRun, type OwnRun, ownRun, shownResults, shownUsage } from "./own.ts"

type TakenTurn = (typeof TurnList.Type)["turns"][number]
type Shown = Omit<typeof TurnList.Type, "run_id" | "workspace_id">

/** The number of a turn, as a caller writes it; `undefined`: a run of so many `turns` has no such turn. */
const turnIn = (given: string, turns: number): number | undefined => {
  const turn = /^[1-9]\d{0,6}$/.test(given) ? Number(given) : 0
  return turn >= 1 && turn <= turns ? turn : undefined
}

/** The problem that a run of so many `turns` has no turn with the number asked for. */
export const noTurn = (turns: number) =>
  fieldProblem(
    "not_found/turn",
    "turn",
    turns === 0 ? "The run has taken no turn yet." : `The run has no such turn: it has taken ${turns}, counted from 1.`
  )

/** A run's turns as the API tells them, without what was said in them. */
export const turnsShown = (
  { events, requestedAt, requested }: Pick<OwnRun, "events" | "requestedAt" | "requested">,
  choices: LanguageModel["Service"]["choices"]
): Shown => {
  const spent = (usage: Usage) => ({
    usage: shownUsage(usage),
    cost: costOfUsage(choices, requested.model, usage) ?? null
  })
  const turns: Array<TakenTurn> = []
  let remembered: Shown["remembered"] = null
  let compacted: TakenTurn["compacted"] = null
  let before = requestedAt
  for (const { event, recordedAt } of events) {
    const recorded_at = isoOf(recordedAt)
    switch (event._tag) {
      case "ModelTurned": {
        const { model, end, usage } = turnOf(event)
        const times = { begun_at: isoOf(before), answered_at: recorded_at, tools_ended_at: null }
        turns.push({ turn: event.turn, model, ended: end, ...times, ...spent(usage), compacted })
        compacted = null
        break
      }
      case "ToolsRan":
        turns[event.turn - 1] = { ...turns[event.turn - 1]!, tools_ended_at: recorded_at }
        break
      case "ChatCompacted": {
        const { upTo, model, usage } = compactionOf(event)
        compacted = { up_to: upTo, model, recorded_at, ...spent(usage) }
        break
      }
      case "ChatRemembered":
        remembered = { how: event.how, model: event.model, recorded_at, ...spent(rememberedOf(event).usage) }
        break
      case "ChatCancelled":
      case "ChatResumed":
      case "MemoryAsked":
        // no step of a turn: one may be under way, or was when a process was killed
        continue
    }
    before = recordedAt
  }
  return { turns, remembered }
}

const namesOf = ({ id, requested }: OwnRun) => ({ run_id: id, workspace_id: requested.workspace })

/** The turns of the caller's own run. */
export const turnsOf = Effect.fnUntraced(function* (given: string) {
  const run = yield* ownRun(given)
  const { choices } = yield* LanguageModel
  return { ...namesOf(run), ...turnsShown(run, choices) }
})

const memories = { None: "none", Text: "told", Other: "unreadable" } as const

/** What the model was told at a turn of the caller's own run. */
export const toldTurn = Effect.fnUntraced(function* (given: string, givenTurn: string) {
  const run = yield* ownRun(given)
  const { workspace, generation } = run.requested
  const { choices } = yield* LanguageModel
  const { turns } = turnsShown(run, choices)
  const past = pastOf(run.events)!
  const turn = turnIn(givenTurn, turns.length)
  if (turn === undefined) return yield* noTurn(turns.length)
  const place = yield* (yield* Answers).take(copies * mostOfTalk)
  const { talk, account } = yield* unlessErased({ id: workspace, generation }, toldAt(past, turn), noRun)
  const now = yield* (yield* Dispatcher).state(Workspace, streamOf(workspace))
  if (now.generation !== generation) {
    // the erasure may have come before the repository was opened: then it is removed again
    yield* removeRepository(workspace, generation)
    return yield* noRun
  }
  const told = talk.prompt.length + sizeOf(talk.history)
  const answer = inOnePiece({
    ...namesOf(run),
    ...turns[turn - 1]!,
    told: {
      system: talk.system,
      tools: talk.tools.map((form) => ({
        name: form.name,
        description: form.description,
        input_schema: formSchema(form)
      })),
      prompt: talk.prompt,
      compacted_up_to: compactionAt(past, turn)?.upTo ?? 0,
      memory: past.memory ? memories[account._tag] : null,
      history: talk.history.map((exchange) => ({
        turn: past.exchanges.indexOf(exchange) + 1,
        content: recordedTurn(exchange.turn).content,
        results: exchange.results === undefined ? null : shownResults(exchange.results)
      }))
    }
  })
  if (told > slight) place.hold(copies * told)
  else place.leave()
  return answer
})
