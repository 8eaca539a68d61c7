import { assert, describe, it } from "@effect/vitest"
import { addressOf, BadAddress } from "#infra/kurrent/address.ts"

const refusal = (url: string): string => {
  try {
    addressOf(url)
  } catch (error) {
    assert.instanceOf(error, BadAddress)
    return (error as BadAddress).message
  }
  return assert.fail(`taken: ${url}`)
}

describe("the URL of a KurrentDB", () => {
  it("is taken apart into what may be shown, and who may use it", () => {
    assert.deepStrictEqual(
      addressOf("kurrentdb://admin:change%3Ait@one.example:2113,two.example:2114?tlsCAFile=ca.pem"),
      {
        url: "kurrentdb://one.example:2113,two.example:2114?tlsCAFile=ca.pem",
        place: "one.example:2113,two.example:2114",
        cluster: true,
        credentials: { username: "admin", password: "change:it" }
      }
    )
    assert.deepStrictEqual(addressOf("esdb+discover://cluster.example/?tls=false"), {
      url: "kurrentdb+discover://cluster.example?tls=false",
      place: "cluster.example",
      cluster: true,
      credentials: undefined
    })
    assert.deepStrictEqual(addressOf("kdb://alone:2113?tls=false&nodePreference=random"), {
      url: "kdb://alone:2113?tls=false&nodePreference=random",
      place: "alone:2113",
      cluster: false,
      credentials: undefined
    })
  })

  it("is refused without what it says, where it can't be used", () => {
    for (const [url, why] of [
      ["kurrentdb://", "user:password@host"],
      ["http://secret:word@host", "user:password@host"],
      ["kurrentdb://secret@host", "user:password before the @"],
      ["kurrentdb://host:2113", "user:password before the host"],
      ["kurrentdb://host:2113?tls=true", "user:password before the host"],
      ["kurrentdb://secret:word@ho st", "user:password@host"],
      ["kurrentdb://secret:%zz@host", "percent-encoded"],
      ["kurrentdb://secret:word@host:port", "hosts like"],
      ["kurrentdb://secret:word@host?throwOnAppendFailure=false", "no other options"],
      ["kurrentdb://secret:word@host?password=word", "no other options"],
      ["kurrentdb://secret:word@host?tls", "no other options"],
      // the halves of the client would take these otherwise
      ["kurrentdb://secret:word@one,two?gossipTimeout=5", "no other options"],
      ["kurrentdb://secret:word@host?tls_ca_file=ca.pem", "no other options"],
      ["kurrentdb://secret:word@host?userCertFile=a&userKeyFile=b", "certificates of users"]
    ] as const) {
      const message = refusal(url)
      assert.include(message, why, url)
      assert.notMatch(message, /secret|=word|:word|%zz/, url)
    }
  })
})
