import { Clock, Duration, Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { fresh } from "#engine/ask.ts"
import { LanguageModel, ModelFailed, type Question } from "#ports/LanguageModel.ts"
import { dueGradings, Gradings } from "#projections/Gradings.ts"
import { replay } from "#src/audit/replay.ts"
import { grade, makeDesk } from "#src/snippets/grading/grade.ts"
import { statusOf } from "#test/http/bundle.ts"
import { fine } from "#test/http/routes.ts"
import { findByName, remove, stored } from "#test/http/store.ts"
import { type Service, startService } from "#test/service.ts"

// without a model of its own: what is due stays due until a test grades it
let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** No wait is waited for; `ahead` of the true time. */
const hasty = (slept: Array<number>, ahead = 0): Clock.Clock => {
  const now = () => Date.now() + ahead
  const nanos = () => BigInt(now()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) => Effect.sync(() => void slept.push(Duration.toMillis(duration)))
  } as Clock.Clock
}

/** Grades a stored snippet with what a model says; answers with what it was asked. */
const gradeWith = async (
  url: string,
  ask: (question: Question) => Effect.Effect<unknown, ModelFailed>,
  { slept = [] as Array<number>, ahead = 0, twice = false } = {}
) => {
  const questions: Array<Question> = []
  const model = LanguageModel.of({
    choices: { named: [], others: true, locally: [] },
    canBeAsked: true,
    next: () => Effect.die("not asked for"),
    ask: (question) =>
      Effect.suspend(() => {
        questions.push(question)
        return ask(question)
      })
  })
  await service.run(
    Effect.gen(function* () {
      yield* Effect.retry(fresh(Gradings), { times: 30 })
      const due = (yield* dueGradings(100)).find(({ request }) => url.endsWith(request))
      assert.isDefined(due)
      const desk = yield* makeDesk
      const once = Effect.provideService(grade(due!, desk), Clock.Clock, hasty(slept, ahead))
      yield* once
      if (twice) yield* once
    }).pipe(Effect.provideService(LanguageModel, model))
  )
  return questions
}

const up = { verdict: "thumbs_up", reason: "Fine." }
const failing = (message: string) => () => Effect.fail(new ModelFailed({ message, fault: "529 overloaded_error" }))
const day = 24 * 3_600_000

describe("a grading", () => {
  it("fails after five attempts, each after a longer wait, and its status says why", async () => {
    const { status_url } = await stored(service.call, "hopeless")
    const slept: Array<number> = []
    const questions = await gradeWith(status_url, failing("The model's API is overloaded; try again later."), { slept })
    assert.strictEqual(questions.length, 5)
    assert.strictEqual(slept.length, 4)
    for (const [n, wait] of slept.entries()) assert.isAbove(wait, slept[n - 1] ?? 1_000)
    assert.lengthOf(
      service.log.filter((line) => line.includes("a grading got no verdict: 529 overloaded_error")),
      5
    )
    assert.lengthOf(
      service.log.filter((line) => line.includes("a grading failed: 529 overloaded_error")),
      1
    )
    const status = await statusOf(service.call, status_url)
    assert.strictEqual(status.status, "failed")
    assert.strictEqual(status.reason, "1 of 1 file got no verdict; each vote says why.")
    assert.deepInclude(status.votes[0], {
      verdict: null,
      reason: "The model's API is overloaded; try again later."
    })
    const { thumbs_up, thumbs_down } = (await findByName(service.call, "hopeless"))!
    assert.deepStrictEqual([thumbs_up, thumbs_down], [0, 0])
  })

  it("that breaks off is taken up again, and a verdict that is had is not asked for twice", async () => {
    const { status_url } = await stored(service.call, "interrupted")
    let n = 0
    const questions = await gradeWith(status_url, () =>
      ++n === 1 ? Effect.die(new TypeError("a defect")) : Effect.succeed(up)
    )
    assert.strictEqual(questions.length, 2)
    assert.deepInclude((await statusOf(service.call, status_url)).votes[0], { verdict: "thumbs_up" })
    assert.isTrue(service.log.some((line) => line.includes("a grading broke off (TypeError)")))
  })

  it("that breaks off again and again gets no verdict, and its status says so", async () => {
    const { status_url } = await stored(service.call, "poisonous")
    const questions = await gradeWith(status_url, () => Effect.die(new TypeError("a defect")))
    assert.strictEqual(questions.length, 10)
    const { status, votes } = await statusOf(service.call, status_url)
    assert.strictEqual(status, "failed")
    assert.include(votes[0].reason, "broke off")
  })

  it("is not done any more when it is older than a week, and is until then", async () => {
    const { status_url } = await stored(service.call, "outdated")
    const questions = await gradeWith(status_url, () => Effect.succeed(up), { ahead: 7 * day + 60_000 })
    assert.deepStrictEqual(questions, [])
    const { status, votes } = await statusOf(service.call, status_url)
    assert.strictEqual(status, "failed")
    assert.include(votes[0].reason, "7 days")
    const late = await stored(service.call, "justintime")
    await gradeWith(late.status_url, () => Effect.succeed(up), { ahead: 7 * day - 60_000 })
    assert.strictEqual((await statusOf(service.call, late.status_url)).status, "done")
  })

  it("casts its votes once, whoever grades it again and with whatever verdict", async () => {
    const { status_url } = await stored(service.call, "graded_twice", { vote_count: 2 })
    let n = 0
    const verdicts = [up, { verdict: "thumbs_down", reason: "Otherwise." }]
    const questions = await gradeWith(status_url, () => Effect.succeed(verdicts[n++]), { twice: true })
    assert.strictEqual(questions.length, 2)
    const { thumbs_up, thumbs_down } = (await findByName(service.call, "graded_twice"))!
    assert.deepStrictEqual([thumbs_up, thumbs_down], [2, 0])
    assert.deepInclude((await statusOf(service.call, status_url)).votes[0], { verdict: "thumbs_up", reason: "Fine." })
  })

  it("of a snippet that is deleted while the model thinks comes to nothing", async () => {
    const { status_url } = await stored(service.call, "vanishing")
    const id = (await findByName(service.call, "vanishing"))!.code_block.id
    const ask = () =>
      Effect.as(
        Effect.promise(async () => fine(await remove(service.call, id))),
        up
      )
    assert.strictEqual((await gradeWith(status_url, ask)).length, 1)
    assert.strictEqual((await service.call("GET", status_url)).status, 404)
    const types = await service.sql<{ type: string }>("SELECT type FROM events WHERE stream = $1 ORDER BY position", [
      `snippet-${id}`
    ])
    assert.deepStrictEqual(
      types.map(({ type }) => type),
      ["SnippetUploaded", "VoteRequested", "SnippetDeleted"]
    )
  })

  it("judges the upload that asked for it, not others of the same code", async () => {
    const more = { task: "the first task", execution_logs: "the first output" }
    const first = await stored(service.call, "repeated", more)
    const second = await stored(service.call, "repeated", {
      task: "the second task",
      execution_logs: "the second output",
      succeeded: false,
      vote_count: 9,
      file_written: {
        path: "other/name.py",
        content: 'def repeated(value):\n    """Does repeated."""\n    return value\n'
      }
    })
    const [asked] = await gradeWith(second.status_url, () => Effect.succeed(up))
    for (const shown of ["the second task", "the second output", "task failed", "other/name.py", "def repeated("]) {
      assert.include(asked!.prompt, shown)
    }
    assert.notInclude(asked!.prompt, "the first")
    assert.strictEqual((await statusOf(service.call, first.status_url)).status, "pending")
    assert.strictEqual((await findByName(service.call, "repeated"))!.thumbs_up, 9)
  })

  it("keeps a reason to what can be stored and read", async () => {
    const { status_url } = await stored(service.call, "talkative")
    await gradeWith(status_url, () => Effect.succeed({ ...up, reason: `a\0b\ud800${"c".repeat(5_000)}` }))
    const { votes } = await statusOf(service.call, status_url)
    assert.strictEqual(votes[0].reason.length, 1_000)
    assert.isTrue(votes[0].reason.startsWith("ab\ufffdc"))
  })

  it("shows what is too large to be read in part: of the code both ends, of the logs the last", async () => {
    const source = `# the first line\n${"x = 1\n".repeat(50_000)}# the last line\n`
    const { status_url } = await stored(service.call, "huge", {
      file_written: { path: "huge.py", content: source },
      task: `the goal ${"words ".repeat(15_000)}`,
      execution_logs: `it began\n${"step\n".repeat(50_000)}it ended well`
    })
    const [asked] = await gradeWith(status_url, () => Effect.succeed(up))
    for (const shown of ["# the first line", "# the last line", "the goal", "it ended well", "characters left out"]) {
      assert.include(asked!.prompt, shown)
    }
    assert.notInclude(asked!.prompt, "it began")
    assert.isBelow(asked!.prompt.length, 102_000)
  })

  it("is in a read model that the log gives again", async () => {
    const { differences, events } = await service.run(replay(Gradings, { promote: false, progress: () => {} }))
    assert.deepStrictEqual(differences, [])
    assert.isAbove(events, 10)
  })
})
