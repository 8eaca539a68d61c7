/** Why JSON is read no further. */
export class JsonFault extends Error {
  /** `text`: a NUL or half a surrogate pair in a value or a name. That is not text, and no store keeps it unchanged. */
  readonly fault: "encoding" | "syntax" | "depth" | "values" | "names" | "text"
  /** Where in the value it is. */
  readonly path: ReadonlyArray<string>
  constructor(fault: JsonFault["fault"], path: ReadonlyArray<string> = []) {
    super(fault)
    this.fault = fault
    this.path = path
  }
}

/** How much JSON may hold before it is refused. */
export interface JsonLimits {
  /** Objects and arrays nested in each other. */
  readonly depth: number
  /** Values of any kind, in arrays and objects too. */
  readonly values: number
  /** Members of objects; as many as `values` unless given. */
  readonly names?: number
  /** Whether texts may hold a NUL and halves of surrogate pairs. */
  readonly anyText?: boolean
}

type Container = Array<unknown> | { [name: string]: unknown }

/** What may come next. */
type Expected = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end" | "nothing"

/** Characters of a number or literal; no number that means anything is longer. */
const longestToken = 1_000
const token = /[-+.0-9A-Za-z]+/y
/** Of these, whole numbers that are exact: they need no parser. */
const wholeNumber = /(?:0|[1-9]\d{0,14})(?=[\]},])/y
/** Text of a string without escapes or control characters. */
const plain = /^[^\\\u0000-\u001f]*$/
/** Space, tab and ends of lines. */
const blanks = new Set([0x20, 0x09, 0x0a, 0x0d])

const syntax = () => new JsonFault("syntax")

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw syntax()
  }
}

/** How many backslashes stand in front of a place, down to `from`. */
const backslashesBefore = (text: string, place: number, from: number): number => {
  let first = place
  while (first > from && text[first - 1] === "\\") first -= 1
  return place - first
}

/** Where a string ends: the place of its closing quote, or `-1` if that is not in this text. */
const quoteIn = (text: string, from: number): number => {
  let quote = text.indexOf('"', from)
  while (quote !== -1 && backslashesBefore(text, quote, from) % 2 === 1) quote = text.indexOf('"', quote + 1)
  return quote
}

/** How far an unfinished string can be read now: an escape is never cut in two. */
const readableTo = (text: string, from: number): number => {
  const last = text.lastIndexOf("\\")
  if (last < from || backslashesBefore(text, last, from) % 2 === 1) return text.length
  const whole = text[last + 1] === "u" ? 6 : 2
  return text.length - last < whole ? last : text.length
}

/** Whether a text ends in the middle of a character. */
const isHalf = (text: string): boolean => text.charCodeAt(text.length - 1) >>> 10 === 0x36

/**
 * Reads JSON as its bytes come in, and gives the values that `JSON.parse` would. No stretch of work is longer than a
 * chunk, and JSON that nests too deep or has too many values is refused before it takes memory.
 */
export class JsonReader {
  readonly #bounds: JsonLimits
  readonly #decoder = new TextDecoder("utf-8", { fatal: true })
  readonly #stack: Array<Container> = []
  readonly #names: Array<string> = []
  #expected: Expected = "value"
  #root: unknown
  #values = 0
  #named = 0
  /** Characters that can't be read until more arrive. */
  #rest = ""
  /** The part of a string that has been read; `undefined` outside of one. */
  #string: string | undefined
  /** The first half of a surrogate pair whose second half is still to come. */
  #half = ""

  constructor(bounds: JsonLimits) {
    this.#bounds = bounds
  }

  /** Throws a `JsonFault`. */
  write(chunk: Uint8Array): void {
    this.#read(this.#decoded(chunk, true), false)
  }

  /** The same with characters. */
  writeText(text: string): void {
    this.#read(text, false)
  }

  /** The value; `undefined` when nothing came at all. Throws a `JsonFault`. */
  end(): unknown {
    this.#read(this.#decoded(new Uint8Array(), false), true)
    if (this.#expected === "nothing") return this.#root
    if (this.#expected === "value" && this.#values === 0 && !this.#begun) return undefined
    throw syntax()
  }
  #begun = false

  #decoded(chunk: Uint8Array, stream: boolean): string {
    try {
      return this.#decoder.decode(chunk, { stream })
    } catch {
      throw new JsonFault("encoding")
    }
  }

  #read(more: string, isLast: boolean): void {
    if (more !== "") this.#begun = true
    const text = this.#rest + more
    this.#rest = ""
    let at = 0
    while (at < text.length) {
      if (this.#string !== undefined) at = this.#goOnWithString(text, at)
      else {
        while (blanks.has(text.charCodeAt(at))) at += 1
        if (at < text.length) at = this.#next(text, at, isLast)
      }
    }
  }

  #goOnWithString(text: string, at: number): number {
    const isName = this.#expected === "name" || this.#expected === "name or end"
    const quote = quoteIn(text, at)
    const end = quote === -1 ? readableTo(text, at) : quote
    const written = text.slice(at, end)
    let read = this.#half + (plain.test(written) ? written : (parsed(`"${written}"`) as string))
    this.#half = quote === -1 && isHalf(read) ? read.slice(-1) : ""
    if (this.#half !== "") read = read.slice(0, -1)
    if (this.#bounds.anyText !== true && (read.includes("\u0000") || !read.isWellFormed()))
      throw new JsonFault("text", this.#path(isName))
    this.#string += read
    if (quote === -1) {
      this.#rest = text.slice(end)
      return text.length
    }
    const string = this.#string!
    this.#string = undefined
    if (!isName) this.#give(string)
    else {
      this.#named += 1
      if (this.#named > (this.#bounds.names ?? this.#bounds.values)) throw new JsonFault("names")
      this.#names[this.#stack.length - 1] = string
      this.#expected = "colon"
    }
    return quote + 1
  }

  /** Reads the token that begins at a place, and gives where it ends. */
  #next(text: string, at: number, isLast: boolean): number {
    const first = text[at]!
    const expected = this.#expected
    const value = expected === "value" || expected === "value or end"
    if (first === '"' && (value || expected === "name" || expected === "name or end")) {
      if (value) this.#count()
      this.#string = ""
      return at + 1
    }
    if (first === "," && expected === "comma or end") {
      this.#expected = Array.isArray(this.#stack.at(-1)) ? "value" : "name"
      return at + 1
    }
    if (first === ":" && expected === "colon") {
      this.#expected = "value"
      return at + 1
    }
    if (first === "]" || first === "}") {
      this.#close(first)
      return at + 1
    }
    if (!value) throw syntax()
    if (first === "[" || first === "{") {
      this.#count()
      if (this.#stack.length >= this.#bounds.depth) throw new JsonFault("depth")
      this.#stack.push(first === "[" ? [] : {})
      this.#expected = first === "[" ? "value or end" : "name or end"
      return at + 1
    }
    wholeNumber.lastIndex = at
    if (wholeNumber.test(text)) {
      this.#count()
      this.#give(Number(text.slice(at, wholeNumber.lastIndex)))
      return wholeNumber.lastIndex
    }
    token.lastIndex = at
    const [found] = token.exec(text) ?? []
    if (found === undefined || found.length > longestToken) throw syntax()
    const end = at + found.length
    if (end === text.length && !isLast) this.#rest = found
    else {
      this.#count()
      this.#give(parsed(found))
    }
    return end
  }

  /** The path of the value that is being read; for a name, the path of its object. */
  #path(isName = false): ReadonlyArray<string> {
    const containers = isName ? this.#stack.slice(0, -1) : this.#stack
    return containers.map((container, level) =>
      Array.isArray(container) ? String(container.length) : this.#names[level]!
    )
  }

  #count(): void {
    this.#values += 1
    if (this.#values > this.#bounds.values) throw new JsonFault("values")
  }

  #close(bracket: "]" | "}"): void {
    const top = this.#stack.at(-1)
    const expected = this.#expected
    const fits = expected === "comma or end" || expected === (bracket === "]" ? "value or end" : "name or end")
    if (top === undefined || !fits || Array.isArray(top) !== (bracket === "]")) throw syntax()
    this.#stack.pop()
    this.#give(top)
  }

  #give(value: unknown): void {
    const container = this.#stack.at(-1)
    this.#expected = container === undefined ? "nothing" : "comma or end"
    if (container === undefined) this.#root = value
    else if (Array.isArray(container)) container.push(value)
    else {
      const name = this.#names[this.#stack.length - 1]!
      // an assignment would change the object's prototype
      if (name !== "__proto__") container[name] = value
      else Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true })
    }
  }
}
