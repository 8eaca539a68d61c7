import { describe, it } from "@effect/vitest"
import { Execution, ExecutionCommand, ExecutionEvent } from "#domain/Execution.ts"
import { given } from "#test/given.ts"
import { laws } from "#test/laws.ts"
import { execution, review } from "./executions.ts"

const { RecordUnstored, ReviewUnstored } = ExecutionCommand
const Event = ExecutionEvent.cases

const subject = "execution/e1"
const record = RecordUnstored({ execution })
const recorded = Event.ExecutionRecorded.make({ ...execution, snippet: null, subject })
const reviewed = Event.ExecutionReviewed.make({
  execution: "e1",
  snippet: null,
  verdict: "thumbs_down",
  subject,
  text: { review }
})

describe("a run of code that is not stored", () => {
  it("is recorded, under a subject of its own", () => given(Execution, []).when(record).then(recorded))

  it("only once", () => given(Execution, [recorded]).when(record).then())

  it("can be reviewed", () => {
    given(Execution, [recorded])
      .when(ReviewUnstored({ execution: "e1", review }))
      .then(reviewed)
  })

  it("but not before it is recorded", () => {
    given(Execution, [])
      .when(ReviewUnstored({ execution: "e1", review }))
      .refuses("ExecutionNotFound")
  })
})

describe("laws", () => laws(Execution, ExecutionEvent, [record, ReviewUnstored({ execution: "e1", review })]))
