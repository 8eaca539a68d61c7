import { assert, describe, it } from "vitest"
import { says } from "#test/MessagesApi.ts"
import { ended, scripts, service, startsAgent, write } from "./agent.ts"

// files share a process: what one of them left in the place of a look-up answered the chats of those behind it
describe("a file of tests that has chats", () => {
  describe("may look its scripts up in a way of its own", () => {
    startsAgent()

    it("for as long as it is at work", async () => {
      scripts.set("left behind", () => says("Mine."))
      scripts.get = () => () => says("Anything.")
      assert.strictEqual((await ended(service.call, "left behind", "one")).output, "Anything.")
    })
  })

  describe("and the next one finds the scripts empty", () => {
    startsAgent()

    it("with the map's own look-up", async () => {
      assert.strictEqual((await ended(service.call, "left behind", "two")).output, "Done.")
      scripts.set("its own", (turn) => (turn === 1 ? write("a.txt") : says("Done.")))
      assert.deepStrictEqual((await ended(service.call, "its own", "two")).changed_files, ["a.txt"])
    })
  })
})
