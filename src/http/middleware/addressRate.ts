import { Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { AddressRate } from "#src/api/middleware.ts"
import type { Rates } from "#src/rates.ts"
import { makeWindows } from "./windows.ts"

const isLoopback = (address: string): boolean => /^(?:127\.|::1$|::ffff:127\.)/.test(address)

/** Whoever has an IPv6 address has 2⁶⁴ of them. */
const networkOf = (address: string): string => {
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

/**
 * Whose request it is, as far as that can be told: the peer's address. A peer on this machine may be a proxy: then the last
 * address in `X-Forwarded-For` counts, which is the one that the proxy itself has seen. From elsewhere the header is not
 * believed, for anyone can write it.
 */
export const clientOf = (peer: string, forwarded: string | undefined): string => {
  const last = forwarded?.split(",").at(-1)?.trim().slice(0, 100) ?? ""
  return networkOf(isLoopback(peer) && last !== "" ? last : peer)
}

/** Counts requests without a key by their client. */
export const layer = (rates: Rates) =>
  Layer.sync(AddressRate, () => {
    const count = makeWindows()
    return ((httpEffect) =>
      Effect.gen(function* () {
        const { headers, remoteAddress } = yield* HttpServerRequest.HttpServerRequest
        const client = clientOf(
          Option.getOrElse(remoteAddress, () => ""),
          headers["x-forwarded-for"]
        )
        yield* count(client, rates.other)
        return yield* httpEffect
      })) as AddressRate["Service"]
  })
