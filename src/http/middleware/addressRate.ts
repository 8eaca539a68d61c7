import { Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { AddressRate, AddressRates } from "#src/api/middleware.ts"
import type { Rates } from "#src/config/rates.ts"
import { counting } from "./counting.ts"

/** The network of an address: of IPv6 its first 64 bits, since whoever has one address has 2⁶⁴ of them. */
export const networkOf = (address: string): string => {
  if (!address.includes(":")) return address
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = "", tail] = address.toLowerCase().split("::")
  const before = head === "" ? [] : head.split(":")
  const after = tail === undefined || tail === "" ? [] : tail.split(":")
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0")
  return [...before, ...zeros, ...after].slice(0, 4).join(":")
}

const counter = (rates: Rates) =>
  Layer.effect(
    AddressRates,
    Effect.map(counting, (count) =>
      AddressRates.of({
        count: Effect.gen(function* () {
          const { remoteAddress } = yield* HttpServerRequest.HttpServerRequest
          const client = networkOf(Option.getOrElse(remoteAddress, () => ""))
          yield* count(`address ${client}`, rates.other)
        })
      })
    )
  )

const middleware = Layer.effect(
  AddressRate,
  Effect.map(AddressRates, ({ count }) => ((httpEffect) => Effect.andThen(count, httpEffect)) as AddressRate["Service"])
)

/** Counts requests without a key by their client: the peer, or the address that a trusted proxy names. */
export const layer = (rates: Rates) => Layer.provideMerge(middleware, counter(rates))
