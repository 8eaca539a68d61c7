/** A message of an event stream, as the HTML standard has it; what it leaves out is `""`. */
export interface Message {
  readonly id: string
  readonly event: string
  readonly data: string
}

/** What came: a message, or a comment, which only says that the other side is there. */
export type Heard = Message | "comment"

const none: Message = { id: "", event: "", data: "" }

/** Reads an event stream off its text, piece by piece: the pieces may end anywhere, also between CR and LF. */
export class MessageReader {
  #rest = ""
  /** Where in the rest no line ends: long lines come in many pieces, and are looked through once. */
  #searched = 0
  #message: Message = none

  /** What has come in full by now. */
  read(piece: string): ReadonlyArray<Heard> {
    const come: Array<Heard> = []
    this.#rest += piece
    const ends = /\r\n|\n|\r(?!$)/g
    for (;;) {
      ends.lastIndex = this.#searched
      const end = ends.exec(this.#rest)
      if (end === null) {
        this.#searched = Math.max(0, this.#rest.length - 1)
        return come
      }
      const line = this.#rest.slice(0, end.index)
      this.#rest = this.#rest.slice(end.index + end[0].length)
      this.#searched = 0
      const heard = this.#line(line)
      if (heard !== undefined) come.push(heard)
    }
  }

  #line(line: string): Heard | undefined {
    if (line === "") {
      const message = this.#message
      this.#message = none
      return message.data === "" ? undefined : message
    }
    if (line.startsWith(":")) return "comment"
    const [, name = line, value = ""] = /^([^:]*): ?(.*)$/s.exec(line) ?? []
    const { id, event, data } = this.#message
    if (name === "data") this.#message = { id, event, data: data === "" ? value : `${data}\n${value}` }
    else if (name === "id") this.#message = { id: value, event, data }
    else if (name === "event") this.#message = { id, event: value, data }
    return undefined
  }
}
