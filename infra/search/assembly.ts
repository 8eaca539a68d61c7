// The parts that a WebAssembly program is put together from. A few loops need no compiler, so the project has none.

/** Bytes, nested as they are put together. */
export type Code = ReadonlyArray<number | Code>

const bytesOf = (code: Code, into: Array<number> = []): Array<number> => {
  for (const part of code) {
    if (typeof part === "number") into.push(part)
    else bytesOf(part, into)
  }
  return into
}

/** A number as WebAssembly writes it: seven bits a byte, the lowest first. */
export const unsigned = (value: number): Code =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, unsigned(value >>> 7)]
const signed = (value: number): Code =>
  value >= -64 && value < 64 ? [value & 0x7f] : [(value & 0x7f) | 0x80, signed(value >> 7)]

/** Parts, preceded by how many they are. */
export const list = (...items: ReadonlyArray<Code>): Code => [unsigned(items.length), items]
/** A part, preceded by how many bytes it has. */
export const sized = (code: Code): Code => {
  const bytes = bytesOf(code)
  return [unsigned(bytes.length), bytes]
}
const section = (id: number, content: Code): Code => [id, sized(content)]
const named = (text: string): Code => list(...[...text].map((letter) => [letter.charCodeAt(0)]))

/** The type of a whole number. */
export const i32 = 0x7f
/** The type of sixteen bytes that are worked on at once. */
export const v128 = 0x7b
/** The value of a parameter or a local. */
export const get = (local: number): Code => [0x20, local]
/** Puts the value before it into a local. */
export const set = (local: number): Code => [0x21, local]
/** A constant number. */
export const integer = (value: number): Code => [0x41, signed(value)]
/** The sum of the two numbers before it. */
export const addInteger: Code = [0x6a]
/** Whether the first of the two numbers before it is the smaller one, both without a sign. */
export const isBelow: Code = [0x49]
/** The whole number at an address. */
export const loadInteger = (offset: number): Code => [0x28, 2, unsigned(offset)]
/** Puts the whole number before it at an address. */
export const storeInteger = (offset: number): Code => [0x36, 2, unsigned(offset)]
/** Sixteen bytes at an address. */
export const load = (offset: number): Code => [0xfd, 0x00, 2, unsigned(offset)]
/** Puts the sixteen bytes before it at an address. */
export const store = (offset: number): Code => [0xfd, 0x0b, 2, unsigned(offset)]
/** Eight bytes at an address, each widened to a 16-bit number. */
export const loadWidened = (offset: number): Code => [0xfd, 0x01, 0, unsigned(offset)]
/** Sixteen bytes of 0. */
export const zeros: Code = [0xfd, 0x0c, Array.from({ length: 16 }, () => 0)]
/** Adds, or multiplies, the four floats of the first before it and those of the second, one by one. */
export const addFloats: Code = [0xfd, unsigned(0xe4)]
export const multiplyFloats: Code = [0xfd, unsigned(0xe6)]
/** Multiplies 16-bit numbers, each with its counterpart, and adds neighbours' products: four numbers of 32 bits. */
export const multiplyPairs: Code = [0xfd, unsigned(0xba)]
/** Adds the four 32-bit numbers of the first one before it and those of the second. */
export const addWhole: Code = [0xfd, unsigned(0xae)]
/** Runs the body once, and again as long as `again` leaves a number other than 0. */
export const loop = (body: Code, again: Code): Code => [0x03, 0x40, body, again, 0x0d, 0, 0x0b]

/** Parameters of a function that goes through items: the address of the first, their end, and where results go. */
interface Through {
  readonly item: number
  readonly end: number
  readonly to: number
  /** Bytes of an item, and bytes that are written for each. */
  readonly size: number
  readonly result: number
}

/** This many locals of a type. */
type Locals = readonly [count: number, type: number]

/** A function that does the same for each item. There must be at least one. */
export const through = (
  { item, end, to, size, result }: Through,
  locals: Locals | ReadonlyArray<Locals>,
  body: Code
): Code =>
  sized([
    list(...(typeof locals[0] === "number" ? [[...(locals as Locals)]] : (locals as ReadonlyArray<Locals>))),
    loop(
      [body, get(to), integer(result), addInteger, set(to)],
      [get(item), integer(size), addInteger, set(item), get(item), get(end), isBelow]
    ),
    0x0b
  ])

/** A module of functions on a given memory. All have the same four addresses as parameters. */
const moduleOf = (functions: { readonly [name: string]: Code }): WebAssembly.Module => {
  const names = Object.keys(functions)
  const program = bytesOf([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(1, list([0x60, list([i32], [i32], [i32], [i32]), 0])),
    section(2, list([named("index"), named("memory"), 0x02, 0x00, 1])),
    section(3, list(...names.map(() => [0]))),
    section(7, list(...names.map((name, place) => [named(name), 0, place]))),
    section(10, list(...Object.values(functions)))
  ])
  return new WebAssembly.Module(new Uint8Array(program))
}

/** Functions from their code, by name. */
export const assembled = <Name extends string>(
  functions: { readonly [name in Name]: Code },
  memory: WebAssembly.Memory
): { readonly [name in Name]: (one: number, two: number, three: number, four: number) => void } =>
  new WebAssembly.Instance(moduleOf(functions), { index: { memory } }).exports as never
