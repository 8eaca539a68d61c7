import { assert, describe, it } from "@effect/vitest"
import type { Candidate, Candidates } from "#domain/search/Candidate.ts"
import { learnedFor, nearnessOf, sought, type TaskVote, taskRead, voteWeights } from "#domain/search/learned.ts"
import { asked } from "#domain/search/query.ts"
import { rank } from "#domain/search/rank.ts"
import { atOnce } from "#engine/steps.ts"
import { encoder, profiled, vectorOf } from "#test/embeddings.ts"
import { random, sample } from "#test/random.ts"

const vote = (task: string, rest: Partial<TaskVote> = {}): TaskVote => ({
  ...taskRead(task, encoder),
  snippet: "s",
  value: 1,
  weight: voteWeights.human,
  bloc: "t/ada",
  task,
  ...rest
})

const effect = (task: string, votes: ReadonlyArray<TaskVote>, snippet = "s"): number =>
  atOnce(learnedFor(asked(task, encoder), votes)).get(snippet)?.effect ?? 0

const csv = "parse a CSV file into rows"
const nearCsv = "read the rows of a comma separated file"
const mail = "send an e-mail with an attachment"

describe("a vote for a task", () => {
  it("speaks for the snippet where the same is asked, in other words less, and says nothing of other tasks", () => {
    const votes = [vote(csv)]
    assert.isAbove(effect(csv, votes), 3)
    assert.isAbove(effect(nearCsv, votes), 0.5)
    assert.isBelow(effect(nearCsv, votes), effect(csv, votes))
    assert.strictEqual(effect(mail, votes), 0)
    assert.strictEqual(effect("", votes), 0)
    assert.strictEqual(atOnce(learnedFor(asked(mail, encoder), votes)).size, 0)
  })

  it("against it lowers the snippet for that task only", () => {
    const votes = [vote(csv, { value: -1 })]
    assert.isBelow(effect(csv, votes), -1)
    assert.isBelow(effect(nearCsv, votes), 0)
    assert.strictEqual(effect(mail, votes), 0)
  })

  it("counts for the one that is near to a part of a long task", () => {
    // cut where its sentences end
    const long = `We have a nightly job on the old server that nobody likes to touch, and it breaks whenever somebody renames a folder, which happens more often than anybody in the office likes to say. I want you to ${csv}. Please keep the log short, and tell the people in the office about it when all of it is done, or when it can't be done before the evening, so that somebody looks at it.`
    assert.isAbove(effect(long, [vote(csv)]), 0.3)
  })

  it("of a task that can't be read counts by its words", () => {
    const task = "名前 で 並べ替え"
    assert.isAbove(effect(task, [vote(task)]), 3)
    assert.strictEqual(effect("全部 消す", [vote(task)]), 0)
  })

  it("counts once for each voter, the nearest of their tasks, and more with every other voter, up to a bound", () => {
    const one = effect(csv, [vote(csv)])
    const same = Array.from({ length: 1_000 }, (_, at) => vote(at % 2 === 0 ? csv : nearCsv))
    assert.strictEqual(effect(csv, same), one)
    const many = (count: number) => Array.from({ length: count }, (_, at) => vote(csv, { bloc: `t/${at}` }))
    assert.isAbove(effect(csv, many(2)), one)
    assert.isAbove(effect(csv, many(3)), effect(csv, many(2)))
    assert.strictEqual(effect(csv, many(100)), effect(csv, many(1_000)))
    assert.isBelow(effect(csv, many(1_000)), 8.1)
    const against = (count: number) => many(count).map((one): TaskVote => ({ ...one, value: -1 }))
    assert.strictEqual(effect(csv, against(1_000)), effect(csv, against(500)))
    assert.isAbove(effect(csv, against(1_000)), -7)
  })

  it("is as near whoever many say so: of a far task many say no more than that it is far", () => {
    const many = Array.from({ length: 50 }, (_, at) => vote(nearCsv, { bloc: `t/${at}` }))
    const { near } = atOnce(learnedFor(asked(csv, encoder), many)).get("s")!
    assert.isBelow(near[0]!.nearness, 1)
    assert.isBelow(effect(csv, many), effect(nearCsv, many))
  })

  it("weighs little for what the voter stored, and half for an agent", () => {
    const by = (weight: number) => effect(csv, [vote(csv, { weight })])
    assert.isBelow(by(voteWeights.own), 0.7)
    assert.isAbove(by(voteWeights.own), 0)
    assert.isBelow(by(voteWeights.ai), by(voteWeights.human))
    assert.isBelow(by(voteWeights.ai * voteWeights.recalled), by(voteWeights.ai))
  })

  it("for and against stand against each other, by who gave them", () => {
    const up = vote(csv)
    const down = (bloc: string) => vote(csv, { bloc, value: -1 })
    assert.isAbove(effect(csv, [up]), effect(csv, [up, down("t/eve")]))
    assert.isAbove(effect(csv, [up, down("t/eve")]), effect(csv, [up, down("t/eve"), down("t/bob")]))
    assert.isBelow(effect(csv, [vote(csv, { weight: voteWeights.own }), down("t/eve")]), 0)
  })
})

describe("what was learned", () => {
  const tasks = [csv, nearCsv, mail, "sort a list", "sort the list of rows", "read a file"]
  const next = random(14)
  const some = (count: number) =>
    Array.from({ length: count }, () =>
      vote(tasks[Math.floor(next() * tasks.length)]!, {
        snippet: `s${Math.floor(next() * 4)}`,
        value: next() < 0.6 ? 1 : -1,
        weight: next() < 0.5 ? 1 : 0.5,
        bloc: `t/${Math.floor(next() * 5)}`
      })
    )

  it("is the same in any order of the votes, and however often one is told", () => {
    for (let round = 0; round < 40; round++) {
      const votes = some(1 + Math.floor(next() * 30))
      const question = asked(tasks[round % tasks.length]!, encoder)
      const shown = (all: ReadonlyArray<TaskVote>) => {
        const learned = [...atOnce(learnedFor(question, all))].sort(([a], [b]) => (a < b ? -1 : 1))
        return learned.map(([id, { effect, near }]) => [id, effect, near.map(({ nearness }) => nearness)])
      }
      const turned = sample(votes, votes.length, next)
      assert.deepStrictEqual(shown(turned), shown(votes))
      assert.deepStrictEqual(shown([...votes, ...turned]), shown(votes))
    }
  })

  it("of one snippet does not depend on what is said of others", () => {
    const votes = some(60)
    const question = asked(csv, encoder)
    for (const [id, { effect }] of atOnce(learnedFor(question, votes))) {
      const own = votes.filter(({ snippet }) => snippet === id)
      assert.strictEqual(atOnce(learnedFor(question, own)).get(id)!.effect, effect)
    }
  })

  it("goes up with the likeness of tasks, and down with how far that is of the same words", () => {
    for (let cosine = -1; cosine <= 1; cosine += 0.05) {
      for (let words = 0; words <= 1; words += 0.1) {
        const nearness = nearnessOf(cosine, words)
        assert.isTrue(nearness >= 0 && nearness <= 1)
        assert.isAtLeast(nearnessOf(cosine + 0.05, words), nearness)
        assert.isAtMost(nearnessOf(cosine, words + 0.1), nearness)
      }
    }
    assert.isAbove(nearnessOf(1, 1), 0.95)
    assert.strictEqual(nearnessOf(0.3, 0), 0)
  })

  it("has an index asked for the ten that most speaks for, and for none that is spoken against", () => {
    const votes = Array.from({ length: 30 }, (_, at) =>
      vote(csv, { snippet: `s${at}`, value: at < 5 ? -1 : 1, weight: (at + 1) / 30 })
    )
    const ids = sought(atOnce(learnedFor(asked(csv, encoder), votes)))
    assert.deepStrictEqual([...ids].sort(), Array.from({ length: 10 }, (_, at) => `s${at + 20}`).sort())
  })
})

describe("a rank", () => {
  const texts = [
    { name: "load_sheet", description: "", source: "def load_sheet(path): return list(csv.reader(open(path)))" },
    { name: "csv_rows", description: "", source: "def csv_rows(file): return parse(file)" },
    { name: "post", description: "", source: "def post(box, letter): box.push(letter)" },
    { name: "rows_of", description: "", source: "def rows_of(file): return [line.split(';') for line in file]" }
  ]
  const candidateOf = (text: (typeof texts)[number], task: string): Candidate => {
    const vector = vectorOf(text)!
    const meaning = encoder.query(task).vector
    return {
      id: text.name,
      counts: asked(task, encoder).terms.flatMap(() => [0, 0, 0, 0]),
      lengths: [2, 4, 0, 6],
      cosine: vector.reduce((sum, number, at) => sum + number * meaning[at]!, 0),
      completeness: 0.5,
      verdict: 0.5,
      profile: profiled(text, vector)
    }
  }
  const foundFor = (task: string): Candidates => {
    const { terms, reading } = asked(task, encoder)
    return {
      documents: 40,
      frequencies: terms.map(() => 3),
      pieceFrequencies: reading.pieces.map(() => 5),
      tokens: [80, 160, 0, 240],
      candidates: texts.map((text) => candidateOf(text, task)),
      sharing: 0,
      near: 3
    }
  }
  const ranked = (task: string, votes: ReadonlyArray<TaskVote>) => {
    const question = asked(task, encoder)
    return rank(question, foundFor(task), {
      preferComplete: false,
      limit: 10,
      learned: atOnce(learnedFor(question, votes))
    })
  }
  const first = (task: string, votes: ReadonlyArray<TaskVote> = []) => ranked(task, votes).matches[0]!.id

  const table = "read the table that a spreadsheet program has exported"

  it("has first what a person said to help with the same task, though its text says less of it", () => {
    assert.strictEqual(first(table), "csv_rows")
    const said = [vote(table, { snippet: "rows_of" })]
    assert.strictEqual(first(table, said), "rows_of")
    const relevance = (votes: ReadonlyArray<TaskVote>) =>
      ranked(table, votes)
        .matches.map(({ id, relevance }) => [id, relevance] as const)
        .sort()
    assert.deepStrictEqual(relevance(said), relevance([]))
  })

  it("is what it was, to the last bit, for tasks that nothing was said of", () => {
    const votes = [vote(csv, { snippet: "post" }), vote(csv, { snippet: "csv_rows", value: -1 })]
    for (const task of [mail, "sort a list", "draw a polygon", ""])
      assert.deepStrictEqual(ranked(task, votes), ranked(task, []))
  })

  it("lets nobody put their own upload first for others, however often they vote", () => {
    const own = Array.from({ length: 1_000 }, () => vote(table, { snippet: "rows_of", weight: voteWeights.own }))
    assert.strictEqual(first(table, own), "csv_rows")
    // one other person's word is enough to undo it
    const other = vote(table, { snippet: "rows_of", bloc: "t/bob", value: -1 })
    assert.isBelow(effect(table, [...own, other], "rows_of"), 0)
  })
})
