import { Effect, Pull, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { jsonPieces } from "#engine/jsonPieces.ts"

/** Characters of a piece, about. */
const piece = 65_536

const gathered = function* (parts: Iterable<string>): Generator<string, void, undefined> {
  let text = ""
  for (const part of parts) {
    text += part
    if (text.length < piece) continue
    yield text
    text = ""
  }
  if (text !== "") yield text
}

/** Pieces of some 64 KiB, each made when the one before was taken. */
export const streamInTurns = (parts: Iterable<string>): Stream.Stream<string> =>
  Stream.suspend(() => Stream.fromIterable(gathered(parts), { chunkSize: 1 }))

const membersOf = function* (batch: ReadonlyArray<unknown>, before: string): Generator<string, void, undefined> {
  let first = true
  for (const row of batch) {
    yield first ? before : ","
    first = false
    yield* jsonPieces(row)
  }
}

/** A JSON array of rows that come in batches. Drops what was written, and asks for no batch before it is read. */
const written = <E, R>(batches: Stream.Stream<ReadonlyArray<unknown>, E, R>): Stream.Stream<string, E, R> => {
  let before = "["
  const members = Stream.flatMap(Stream.rechunk(batches, 1), (batch) => {
    if (batch.length === 0) return Stream.empty
    const members = membersOf(batch, before)
    before = ","
    return streamInTurns(members)
  })
  return Stream.concat(
    members,
    Stream.suspend(() => Stream.succeed(before === "[" ? "[]" : "]"))
  )
}

type Batches<E, R> = Stream.Stream<ReadonlyArray<unknown>, E, R>

/**
 * An object of an answer, as its fields in order. A field is a value, a value that is known only when everything before
 * it is written (`later`), another such object, an array of rows in batches, or an array of such objects.
 */
export interface Fields<E, R> {
  readonly [name: string]:
    | { readonly value: unknown }
    | { readonly later: () => unknown }
    | { readonly object: Fields<E, R> }
    | { readonly rows: Batches<E, R> }
    | { readonly objects: Stream.Stream<Fields<E, R>, E, R> }
}

/** Fields of plain data. */
export const values = (data: { readonly [name: string]: unknown }) =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, { value }]))

/** The text between an object's lists, as one stream: each stream costs as much as a small answer. */
const there = (parts: ReadonlyArray<() => Iterable<string>>): Stream.Stream<string> =>
  Stream.suspend(() =>
    streamInTurns(
      (function* () {
        for (const part of parts) yield* part()
      })()
    )
  )

const objectText = <E, R>(fields: Fields<E, R>): Stream.Stream<string, E, R> => {
  const texts: Array<Stream.Stream<string, E, R>> = []
  let parts: Array<() => Iterable<string>> = []
  for (const [index, [name, member]] of Object.entries(fields).entries()) {
    const before = `${index === 0 ? "{" : ","}${JSON.stringify(name)}:`
    parts.push(() => [before])
    if ("object" in member) {
      texts.push(there(parts), objectText(member.object))
      parts = []
    } else if ("rows" in member || "objects" in member) {
      texts.push(there(parts), "rows" in member ? written(member.rows) : objectsText(member.objects))
      parts = []
    } else parts.push(() => jsonPieces("later" in member ? member.later() : member.value))
  }
  parts.push(() => ["}"])
  return Stream.flatten(Stream.fromArray([...texts, there(parts)]))
}

const objectsText = <E, R>(objects: Stream.Stream<Fields<E, R>, E, R>): Stream.Stream<string, E, R> => {
  let before = "["
  const texts = Stream.flatMap(Stream.rechunk(objects, 1), (fields) => {
    const first = before
    before = ","
    return Stream.concat(Stream.succeed(first), objectText(fields))
  })
  return Stream.concat(
    texts,
    Stream.suspend(() => Stream.succeed(before === "[" ? "[]" : "]"))
  )
}

/**
 * Pieces of one size, however small the parts are. What is left goes out at the end, but not if the text breaks off.
 */
const evened = <E, R>(text: Stream.Stream<string, E, R>): Stream.Stream<string, E, R> =>
  Stream.mapAccumArray(
    Stream.concat(text, Stream.succeed(undefined)),
    () => "",
    (held: string, parts: ReadonlyArray<string | undefined>): readonly [string, ReadonlyArray<string>] => {
      const all = held + parts.join("")
      return all.length < piece && parts.at(-1) !== undefined ? [all, []] : ["", all === "" ? [] : [all]]
    }
  )

/** An object as JSON, by pieces of one size. */
export const textOf = <E, R>(fields: Fields<E, R>): Stream.Stream<string, E, R> => evened(objectText(fields))

/**
 * A JSON object that is written piece by piece. Its fields must fit the route's schema, as nothing checks them later.
 * The first piece is made before the answer begins: a failure by then is answered like any other, a later one cuts the
 * connection.
 */
export const inPieces = Effect.fnUntraced(function* <E, R>(fields: Fields<E, R>) {
  const services = yield* Effect.context<R>()
  const pull = yield* Stream.toPull(Stream.provideContext(textOf(fields), services))
  const first = yield* Pull.catchDone(pull, () => Effect.die(new Error("an object is never without text")))
  // only the last piece is short
  if (first.at(-1)!.length < piece) return HttpServerResponse.text(first.join(""), { contentType: "application/json" })
  const text = Stream.concat(Stream.fromArray(first), Stream.fromPull(Effect.succeed(pull)))
  return HttpServerResponse.stream(Stream.encodeText(text), { contentType: "application/json" })
})

/**
 * A JSON object that is in memory already. Most are one piece: a stream would cost as much as the text. A longer one is
 * written piece by piece, too.
 */
export const inOnePiece = (value: { readonly [name: string]: unknown }) => {
  const pieces = gathered(jsonPieces(value))
  const [first, second] = [pieces.next(), pieces.next()]
  if (first.done || second.done) return HttpServerResponse.text(first.value ?? "", { contentType: "application/json" })
  const text = Stream.concat(
    Stream.fromArray([first.value, second.value]),
    Stream.fromIterable(pieces, { chunkSize: 1 })
  )
  return HttpServerResponse.stream(Stream.encodeText(text), { contentType: "application/json" })
}

/** Bytes as they are read; a failure before the first of them is answered like any other. */
export const inBytes = Effect.fnUntraced(function* <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  contentLength: number,
  headers: { readonly [name: string]: string }
) {
  const options = { contentType: "application/octet-stream", contentLength, headers }
  const pull = yield* Stream.toPull(Stream.rechunk(bytes, 1))
  const first = yield* Pull.catchDone(pull, () => Effect.succeed([]))
  const read = Buffer.concat(first)
  if (read.length === contentLength) return HttpServerResponse.uint8Array(read, options)
  const all = Stream.concat(Stream.fromArray(first), Stream.fromPull(Effect.succeed(pull)))
  return HttpServerResponse.stream(all, options)
})
