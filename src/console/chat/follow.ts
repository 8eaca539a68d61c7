import { useEffect, useRef, useState } from "preact/hooks"
import {
  CacheUnavailableError,
  type FileChange,
  RateLimitError,
  type Run,
  type RunEvent,
  type RunUsage,
  type ToolCall,
  type ToolResult
} from "../../../clients/typescript/src/index.ts"
import { pauseBefore, pauseFor } from "../live/pause.ts"
import { type Fault, whyOf } from "../loading.ts"
import { failure, session } from "../session.ts"

/** One turn of a model: what it said, which tools it called, and what they answered. */
export interface Turn {
  readonly turn: number
  readonly text: string
  readonly calls: ReadonlyArray<ToolCall>
  readonly results: ReadonlyArray<ToolResult>
  readonly changed: ReadonlyArray<FileChange>
  /** Whether the service no longer knows what changed. */
  readonly isForgotten: boolean
  readonly usage: RunUsage | undefined
}

/** A run as far as it has been heard. */
export interface Heard {
  readonly turns: ReadonlyArray<Turn>
  readonly workspace: string | undefined
  /** The commit on which it began. */
  readonly base: string | undefined
  readonly model: string
  readonly notes: ReadonlyArray<string>
  readonly run: Omit<Run, "_requestId"> | undefined
}

export const silence: Heard = {
  turns: [],
  workspace: undefined,
  base: undefined,
  model: "",
  notes: [],
  run: undefined
}

const empty = (turn: number): Turn => ({
  turn,
  text: "",
  calls: [],
  results: [],
  changed: [],
  isForgotten: false,
  usage: undefined
})

const withTurn = (heard: Heard, number: number, change: (turn: Turn) => Turn): Heard => {
  const known = heard.turns.find(({ turn }) => turn === number)
  const turns = known
    ? heard.turns.map((turn) => (turn === known ? change(turn) : turn))
    : [...heard.turns, change(empty(number))]
  return { ...heard, turns }
}

const noted = (heard: Heard, note: string): Heard => ({ ...heard, notes: [...heard.notes, note] })

/** What is known of a run after a further event. */
export const heardAfter = (heard: Heard, event: RunEvent): Heard => {
  switch (event.type) {
    case "requested":
      return { ...heard, workspace: event.workspaceId, model: event.model }
    case "started":
      return { ...heard, base: event.commit ?? undefined }
    case "text":
      // a turn that is told a second time begins again
      return withTurn(heard, event.turn, (turn) => ({ ...turn, text: turn.text.slice(0, event.offset) + event.text }))
    case "turn":
      return withTurn(heard, event.turn, (turn) => ({
        ...turn,
        text: event.text,
        calls: event.toolCalls,
        usage: event.usage
      }))
    case "tools":
      return withTurn(heard, event.turn, (turn) => ({
        ...turn,
        results: event.results,
        changed: event.changedFiles ?? [],
        isForgotten: event.changedFiles === null
      }))
    case "resumed":
      return noted(heard, "Another process took over the chat.")
    case "compacted":
      return noted(heard, `Turns up to ${event.upTo} were summarized to make room for more.`)
    case "cancelling":
      return noted(heard, "The chat was told to stop.")
    case "remembered":
      return noted(heard, `This chat's summary is in ${event.path}.`)
    case "answer":
      return { ...heard, run: event.run, workspace: event.run.workspaceId, model: event.run.model }
    default:
      return heard
  }
}

/** Files that a run has changed so far, each with its last state. */
export const filesOf = ({ turns }: Heard): ReadonlyArray<Pick<FileChange, "path" | "status">> => {
  const files = new Map<string, Pick<FileChange, "path" | "status">>()
  for (const { changed } of turns)
    for (const file of changed) {
      const before = files.get(file.path)
      const status = before?.status === "created" && file.status === "modified" ? "created" : file.status
      files.set(file.path, { path: file.path, status })
    }
  return [...files.values()]
}

/** A file that the Write tool wrote whole. */
export interface Written {
  readonly path: string
  readonly content: string
  readonly turn: number
  /** Whether the Edit tool changed it afterwards. */
  readonly isEdited: boolean
}

/** Each file as the Write tool last wrote it, as far as the turns say. */
export const writesOf = (turns: ReadonlyArray<Turn>): ReadonlyArray<Written> => {
  const files = new Map<string, Written>()
  for (const { turn, calls, results } of turns)
    for (const { id, name, input } of calls) {
      const { file_path: given, content } = (input ?? {}) as { readonly [field: string]: unknown }
      const isDone = results.some(({ toolCallId, isError }) => toolCallId === id && !isError)
      if (!isDone || typeof given !== "string") continue
      const path = given.replace(/^(\/workspace\/|\.\/)/, "")
      const before = files.get(path)
      if (name === "Write" && typeof content === "string") files.set(path, { path, content, turn, isEdited: false })
      if (name === "Edit" && before !== undefined) files.set(path, { ...before, isEdited: true })
    }
  return [...files.values()]
}

export interface Following {
  readonly heard: Heard
  /** Why the run can't be followed. */
  readonly problem: Fault | undefined
  /** Why it can't be followed at present; it is tried again by itself. */
  readonly cut: string | undefined
}

const unheard: Following = { heard: silence, problem: undefined, cut: undefined }

/** Whether a fault may be gone at the next try. */
const isPassing = (error: unknown): boolean =>
  error instanceof CacheUnavailableError || error instanceof RateLimitError || error === offline

const offline = new Error("This computer is offline.")

/**
 * Follows a run from its beginning to its end; a connection that is cut is made again. Gives what was heard, and a
 * function that goes on behind it at once.
 */
export const useRun = (id: string): readonly [Following, () => void] => {
  const [state, setState] = useState(unheard)
  const latest = useRef(() => {})
  useEffect(() => {
    const open = session.value
    if (!open) return
    const ended = new AbortController()
    let connection = new AbortController()
    const lost = () => connection.abort(offline)
    /** The last event that has a place in the run. */
    let after: string | undefined
    let tries = 0
    let isListening = false
    const becomes = (now: Omit<Following, "heard">) => setState(({ heard }) => ({ heard, ...now }))
    /** Hears the run over one connection; gives why it was cut, unless that lasts or it has come to its end. */
    const heardOnce = async (): Promise<unknown> => {
      connection = new AbortController()
      const { signal } = connection
      try {
        for await (const event of open.cairn.runs.stream(id, { after }, { signal, maxRetries: 0 })) {
          if ("id" in event) after = event.id
          tries = 0
          setState(({ heard }) => ({ ...unheard, heard: heardAfter(heard, event) }))
        }
      } catch (error) {
        if (ended.signal.aborted || isPassing(error)) return error
        becomes({ problem: { why: whyOf(error), message: failure(error) }, cut: undefined })
      }
      return undefined
    }
    const listen = async () => {
      if (isListening) return
      isListening = true
      becomes({ problem: undefined, cut: undefined })
      for (let error = await heardOnce(); error !== undefined && !ended.signal.aborted; error = await heardOnce()) {
        becomes({ problem: undefined, cut: failure(error) })
        const { over, end } = pauseFor(pauseBefore(tries++), ended.signal)
        latest.current = end
        await over
        if (ended.signal.aborted) return
      }
      latest.current = () => void listen()
      isListening = false
    }
    setState(unheard)
    window.addEventListener("offline", lost)
    latest.current = () => void listen()
    void listen()
    return () => {
      ended.abort()
      connection.abort()
      window.removeEventListener("offline", lost)
    }
  }, [id])
  return [state, () => latest.current()]
}
