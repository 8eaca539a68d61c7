import { assert, describe, it } from "@effect/vitest"
import { fileVotes } from "#domain/fileVotes.ts"

const paths = ["/srv/app/main.py", "lib/util.py", "test/util.py", "C:\\work\\run.ps1", "main.py"]
const votes = (given: Parameters<typeof fileVotes>[1]) => {
  const { votes, misfits } = fileVotes(paths, given)
  return { votes: Object.fromEntries(votes), misfits: misfits.map(({ key, reason }) => `${key} ${reason}`) }
}

describe("whom votes are for", () => {
  it("a path, which goes before a name; or a name that only one file has", () => {
    assert.deepStrictEqual(votes({ "lib/util.py": 1, "run.ps1": -1, "main.py": 1, "/srv/app/main.py": -1 }), {
      votes: { "lib/util.py": 1, "C:\\work\\run.ps1": -1, "main.py": 1, "/srv/app/main.py": -1 },
      misfits: []
    })
  })

  it("none that are not given", () => {
    assert.deepStrictEqual(votes(undefined), { votes: {}, misfits: [] })
    assert.deepStrictEqual(votes(null), { votes: {}, misfits: [] })
    assert.deepStrictEqual(votes({ "run.ps1": null, nowhere: null }), { votes: {}, misfits: [] })
  })

  it("says every key that finds no file, several, or one that has its vote", () => {
    const { votes: found, misfits } = votes({
      "util.py": 1,
      "App.py": 1,
      "app/main.py": -1,
      "run.ps1": 1,
      [paths[3]!]: 1
    })
    assert.deepStrictEqual(found, { [paths[3]!]: 1 })
    assert.strictEqual(misfits.length, 4)
    assert.include(misfits[0], "util.py is the name of 2 files")
    assert.include(misfits[1], "App.py is no file")
    assert.include(misfits[2], "app/main.py is no file")
    assert.include(misfits[3], "another key votes on")
  })

  it("is not taken in by names that every object has", () => {
    assert.deepStrictEqual(Object.keys(votes({ constructor: 1, toString: -1 } as const).votes), [])
    assert.strictEqual(votes({ constructor: 1, toString: -1 } as const).misfits.length, 2)
  })
})
