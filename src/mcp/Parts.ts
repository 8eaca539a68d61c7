import { Context, type Stream } from "effect"

/**
 * Long parts of a message, which are written by themselves, piece by piece: the protocol's library writes a message as
 * a whole. What these give stands in the message in the part's place; of what is short it is the part itself. Likewise
 * what it reads has marks in the place of long texts.
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
