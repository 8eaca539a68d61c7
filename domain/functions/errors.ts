import { atOnce } from "#engine/steps.ts"
import type { LoggedError } from "../Snippet/events.ts"

/** The most errors kept of one log (the last ones, which ended it), and the most characters and frames of each. */
const mostErrors = 50
const longestMessage = 500
const longestType = 100
const mostFrames = 50
/** Characters of a line that are looked at, so that every expression below takes bounded time. */
const longestLine = 1_000
/** The shortest line that an error begins with. */
const shortest = 5
/** Characters of a log that are looked at: its end. */
const looked = 400_000
/** Characters that are read in one step. */
const stretch = 16_384
/** Lines between an error's head and its first frame: a message may have several. */
const mostBetween = 20

interface Found {
  type: string
  message: string
  functions: Array<string>
}

/** Frames of installed packages and of the language itself say nothing of the snippet's own functions. */
const foreign =
  /site-packages|dist-packages|node_modules|node:internal|\(node:|[/\\]lib[/\\]python\d|<frozen |[/\\]gems[/\\]|\/rustc\//

const frame = (functions: Array<string>, name: string | undefined): void => {
  const known = name === undefined || name === "" || /^<(?!module>|main>)/.test(name) ? undefined : name
  if (known === undefined) return
  const plain = known === "<module>" || known === "<main>" ? "__module__" : known
  if (plain.length <= 200 && functions.length < mostFrames && !functions.includes(plain)) functions.push(plain)
}

const pythonHead = /^[\s|+]*Traceback \(most recent call last\):\s*$/
const pythonFrame = /^[\s|]*File "([^"]*)", line \d+, in (\S.*)$/
const pythonError = /^[\s|]*([A-Za-z_][\w.]*)(?:: (.*))?$/s
const v8Frame = /^\s+at (?:async )?(?:(new )?([^\s(]+)(?: \[as [^\]]*\])? \((.*)\)|\S+:\d+:\d+)\s*$/
const v8Error =
  /^(?:error: )?(?:Uncaught )?(?:\(in promise\) )?((?:[A-Z][\w$]*)?(?:Error|Exception|Rejection|Failure))(?: \[\w+\])?(?:: (.*))?$/s
const javaError = /^(?:Exception in thread "[^"]*" |Caused by: )?((?:[a-z_][\w]*\.)+[A-Z][\w$]*)(?:: (.*))?$/s
const javaFrame =
  /^\s+at (?:[\w.@]+\/)?((?:[\w$]+\.)*[\w$]+)\.([\w$<>]+)\(([\w$]+\.(?:java|kt|scala)(?::\d+)?|Unknown Source|Native Method)\)/
const goPanic = /^panic: (.*?)(?: \[recovered\])?$/s
const goFrame = /^(?:[\w./-]+\/)?\w+\.((?:\(\*?\w+\)\.|(?!\w+\.func\d)\w+\.)?\w+)(?:\.func\d+(?:\.\d+)*)?\(.*\)$/
const rubyError = /^\S+?:\d+:in [`'"](.*?)['"]: (.*)$/s
const rubyType = /^ \(([A-Z][\w:]*)\)$/
const rubyFrame = /^\s+(?:\d+: )?from (\S+?):\d+:in [`'"](.*?)['"]$/
const rustPanic = /^thread '[^']*'(?: \(\d+\))? panicked at (?:'(.*)', )?\S+:\d+:\d+:?$/s
const rustClosure = "::{{closure}}"
const rustFrame = /^\s+\d+: (?:0x[0-9a-f]+ - )?([\w:<>{}# ]+?)(?:::h[0-9a-f]{16})?$/

/** `Foo#bar`, `block in bar`, `Foo.bar` as `Foo.bar` or `bar`. */
const rubyName = (name: string) =>
  name.replace(/^(?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )+/, "").replace("#", ".")

const withoutClosures = (name: string): string =>
  name.endsWith(rustClosure) ? withoutClosures(name.slice(0, -rustClosure.length)) : name

const lastPart = (name: string, separator: string) => name.slice(name.lastIndexOf(separator) + 1)

type Reading = "python" | "v8" | "java" | "go" | "ruby" | "rust"

/** Reads a log line by line; an error is open from its head to the first line that isn't its own. */
class Reader {
  readonly found: Array<Found> = []
  private open: Found | undefined
  private reading: Reading | undefined
  /** A line that may be an error's head, if frames follow. */
  private head: { readonly error: Found; readonly reading: "v8" | "java"; readonly line: number } | undefined
  private wantsMessage = false
  private at = 0

  private start(reading: Reading, type: string, message: string): Found {
    const error = { type, message, functions: [] }
    this.open = error
    this.reading = reading
    this.found.push(error)
    if (this.found.length > 2 * mostErrors) this.found.splice(0, mostErrors)
    return error
  }

  private end(): void {
    this.open = undefined
    this.reading = undefined
    this.wantsMessage = false
  }

  /** Whether the line belongs to the error that is open. */
  private goesOn(line: string): boolean {
    const { open } = this
    switch (open === undefined ? undefined : this.reading) {
      case "python": {
        const inside = pythonFrame.exec(line)
        if (inside !== null) {
          if (!foreign.test(inside[1]!)) frame(open!.functions, inside[2])
          return true
        }
        if (/^[\s|]*$/.test(line) || /^[\s|]{2,}/.test(line.replace(/^ {2}\| /, ""))) return true
        const error = pythonError.exec(line)
        if (error !== null) {
          open!.type = lastPart(error[1]!, ".")
          open!.message = error[2] ?? ""
        }
        this.end()
        return error !== null
      }
      case "v8": {
        const inside = v8Frame.exec(line)
        if (inside === null) return false
        const [, isNew, name, place = ""] = inside
        if (foreign.test(line) || place.startsWith("node:")) return true
        const plain = name?.replace(/^(?:Object|Module|Function|global|process)\./, "")
        if (plain !== undefined && !plain.includes("<anonymous>"))
          frame(open!.functions, isNew === undefined ? plain : `${plain}.constructor`)
        return true
      }
      case "java": {
        const inside = javaFrame.exec(line)
        if (inside === null) return /^\s+\.\.\. \d+ (?:more|common)/.test(line)
        if (/^(?:java|javax|jdk|sun|kotlin)\./.test(inside[1]!)) return true
        const method = /^lambda\$(.+)\$\d+$/.exec(inside[2]!)?.[1] ?? inside[2]!
        frame(open!.functions, `${lastPart(inside[1]!, ".")}.${method}`)
        return true
      }
      case "go": {
        const inside = goFrame.exec(line)
        if (inside !== null && !/^(?:runtime|panic|testing|net\/http|internal)\b/.test(line))
          frame(open!.functions, inside[1]!.replace(/[(*)]/g, ""))
        return inside !== null || /^(?:\t|goroutine |\[signal|panic\(|\s*$|created by )/.test(line)
      }
      case "ruby": {
        const inside = rubyFrame.exec(line)
        if (inside !== null && !foreign.test(inside[1]!)) frame(open!.functions, rubyName(inside[2]!))
        return inside !== null
      }
      case "rust": {
        if (this.wantsMessage) {
          open!.message = line
          this.wantsMessage = false
          return true
        }
        const inside = rustFrame.exec(line)
        if (inside !== null && !/^(?:std|core|alloc|rust_begin_unwind|__)/.test(inside[1]!))
          frame(open!.functions, lastPart(withoutClosures(inside[1]!), ":"))
        return inside !== null || /^\s+at |^stack backtrace:|^note: |^\s*$/.test(line)
      }
      default:
        return false
    }
  }

  line(line: string): void {
    this.at++
    // No error begins with so short a line: most lines of a log end here.
    if (this.open === undefined && line.length < shortest) return
    if (this.goesOn(line)) return
    this.end()
    const tail = line.endsWith(")") ? line.lastIndexOf(" (") : -1
    const rubyKind = tail < 0 ? null : rubyType.exec(line.slice(tail))
    const ruby = rubyKind === null ? null : rubyError.exec(line.slice(0, tail))
    const go = line.startsWith("panic: ") ? goPanic.exec(line) : null
    const rust = line.startsWith("thread '") ? rustPanic.exec(line) : null
    if (pythonHead.test(line)) this.start("python", "", "")
    else if (ruby !== null) frame(this.start("ruby", rubyKind![1]!, ruby[2]!).functions, rubyName(ruby[1]!))
    else if (go !== null) this.start("go", "panic", go[1]!)
    else if (rust !== null) {
      this.start("rust", "panic", rust[1] ?? "")
      this.wantsMessage = rust[1] === undefined
    } else this.heads(line)
  }

  private heads(line: string): void {
    if (
      /^\s+at /.test(line) &&
      (javaFrame.test(line) || v8Frame.test(line)) &&
      this.head !== undefined &&
      this.at - this.head.line <= mostBetween
    ) {
      const { error } = this.head
      const reading = javaFrame.test(line) ? "java" : "v8"
      this.head = undefined
      const { functions } = this.start(reading, error.type, error.message)
      if (!this.goesOn(line)) functions.length = 0
      return
    }
    const java = javaError.exec(line)
    const v8 = java === null ? v8Error.exec(line) : null
    const error = java ?? v8
    if (error === null) return
    const type = lastPart(error[1]!, ".")
    this.head = {
      error: { type, message: error[2] ?? "", functions: [] },
      reading: java === null ? "v8" : "java",
      line: this.at
    }
  }
}

const clean = (text: string, length: number): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ")
    .trim()
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, "")

/** `errorsIn` in steps, so that other work can run between them. */
export function* errorsInSteps(log: string): Generator<void, ReadonlyArray<LoggedError>> {
  const text = log.slice(-looked)
  const reader = new Reader()
  let read = 0
  for (let from = 0; from <= text.length; ) {
    const newline = text.indexOf("\n", from)
    const end = newline < 0 ? text.length : newline
    const line = text.slice(from, Math.min(end, from + longestLine))
    reader.line(line.endsWith("\r") ? line.slice(0, -1) : line)
    from = end + 1
    read += 1 + line.length
    if (read < stretch) continue
    read = 0
    yield
  }
  return reader.found
    .filter(({ type }) => type !== "")
    .slice(-mostErrors)
    .map(({ type, message, functions }) => ({
      type: clean(type, longestType),
      message: clean(message, longestMessage),
      functions
    }))
}

/**
 * The errors in a log, by the tracebacks of Python, JavaScript, Java, Go, Ruby and Rust, with the functions that they
 * went through (`__module__` for a file's top level; frames of installed packages are left out). At most 50, the last
 * ones; a message is one line of at most 500 characters. Reads the last 400,000 characters, in linear time.
 */
export const errorsIn = (log: string): ReadonlyArray<LoggedError> => atOnce(errorsInSteps(log))
