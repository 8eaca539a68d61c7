import { Schema } from "effect"
import { Remembering } from "#domain/Chat.ts"

/** Tokens of a request to a model; those of its cache count as input, too. */
export const RunUsage = Schema.Struct({
  input_tokens: Schema.Int,
  output_tokens: Schema.Int,
  cache_read_tokens: Schema.Int,
  cache_write_tokens: Schema.Int
})

/** `cost`: US dollars at the current prices; `null`: none are configured. */
const spent = { usage: RunUsage, cost: Schema.NullOr(Schema.Finite) }
const recorded = { model: Schema.NullOr(Schema.String), recorded_at: Schema.String, ...spent }

const turn = {
  turn: Schema.Int,
  model: Schema.NullOr(Schema.String),
  ended: Schema.Literals(["done", "calls", "paused", "declined", "cut", "full"]),
  begun_at: Schema.String,
  answered_at: Schema.String,
  tools_ended_at: Schema.NullOr(Schema.String),
  ...spent,
  compacted: Schema.NullOr(Schema.Struct({ up_to: Schema.Int, ...recorded }))
}

/** What is known of a turn without what was said. */
const TakenTurn = Schema.Struct(turn).annotate({ identifier: "TakenTurn" })

const of = { run_id: Schema.String, workspace_id: Schema.String }

export const TurnList = Schema.Struct({
  ...of,
  turns: Schema.Array(TakenTurn),
  remembered: Schema.NullOr(Schema.Struct({ how: Remembering, ...recorded }))
}).annotate({ identifier: "TurnList" })

const Own = Schema.Record(Schema.String, Schema.Unknown)

/** What a model was told, in this order. */
const Told = Schema.Struct({
  system: Schema.String,
  tools: Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String, input_schema: Own })),
  prompt: Schema.String,
  /** The last turn that `prompt` sums up; 0: it sums up none. */
  compacted_up_to: Schema.Int,
  memory: Schema.NullOr(Schema.Literals(["told", "none", "unreadable"])),
  history: Schema.Array(
    Schema.Struct({
      turn: Schema.Int,
      content: Schema.Array(Own),
      results: Schema.NullOr(
        Schema.Array(Schema.Struct({ tool_call_id: Schema.String, content: Schema.String, is_error: Schema.Boolean }))
      )
    })
  )
}).annotate({ identifier: "Told" })

export const ToldTurn = Schema.Struct({ ...of, ...turn, told: Told }).annotate({ identifier: "ToldTurn" })
