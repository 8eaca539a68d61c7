import { Context, type Stream } from "effect"

/**
 * Keeps long parts out of a message, because the protocol's library writes a message as a whole. Each function gives
 * what stands in the message in the part's place, which is written piece by piece; a short part stands for itself. A
 * message that comes in has marks in the place of long texts, too.
 */
export class Parts extends Context.Service<
  Parts,
  {
    /** A call's arguments as they were sent. */
    readonly given: (arguments_: unknown) => unknown
    /** A text as it stands in the message: itself, or what stands for it. */
    readonly text: (text: string) => string
    /** Likewise a value, written as JSON. */
    readonly json: (value: object) => object | string
    /** Likewise bytes, written as base64. */
    readonly bytes: (bytes: Uint8Array) => Uint8Array
    /** JSON that is read while it is written. */
    readonly stream: (json: Stream.Stream<string, unknown>) => string
  }
>()("cairn/Parts") {}
