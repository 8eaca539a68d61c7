import { promptOf, type Task } from "./agent.ts"

interface Sent {
  /** In its body and in no other one's. */
  readonly word: string
  readonly path: string
  readonly body: unknown
  /** How often it was sent. */
  sends: number
  /** Of its answer, once one has come whole. */
  // biome-ignore lint/suspicious/noExplicitAny: what was answered, to be looked at field by field
  answer: { readonly position: number; readonly json: any } | undefined
}

export interface Upload extends Sent {
  readonly kind: "upload"
  /** A vote that comes with it. */
  readonly vote: 0 | 1 | -1
  /** Known once it was found by search. */
  snippet: string | undefined
}
export interface Vote extends Sent {
  readonly kind: "vote"
  readonly snippet: string
  readonly value: 1 | -1
}
export interface Chat extends Sent {
  readonly kind: "chat"
  readonly task: Task
  /** The turn that the model does not answer when it is asked for the first time. */
  holdAt: number | undefined
}
export interface KeyCreation extends Sent {
  readonly kind: "key"
}
/** A write that was sent, and what became of it. */
export type Operation = Upload | Vote | Chat | KeyCreation

let words = 0

/** A word that nothing else has. */
const newWord = (): string => `w${(++words).toString(36).padStart(5, "0")}${Math.random().toString(36).slice(2, 8)}`

/** Everything that was sent in all rounds. */
export class Ledger {
  readonly operations: Array<Operation> = []

  #add<O extends Operation>(operation: O): O {
    this.operations.push(operation)
    return operation
  }

  upload(): Upload {
    const word = newWord()
    const vote = ([0, 0, 1, -1] as const)[Math.floor(Math.random() * 4)]!
    const body = {
      task: `Compute ${word} of a number`,
      file_written: { path: `${word}.py`, content: `def ${word}(number):\n    return number + ${words}\n` },
      succeeded: true,
      use_service_ai_voting: false,
      ...(vote === 0 ? {} : { user_vote: vote })
    }
    const path = "/api/store/execution-result"
    return this.#add({ kind: "upload", word, path, body, vote, snippet: undefined, sends: 0, answer: undefined })
  }

  vote(snippet: string): Vote {
    const word = newWord()
    const value = Math.random() < 0.7 ? 1 : -1
    const body = { task: `Use it for ${word}`, code_block_id: snippet, succeeded: value === 1 }
    const path = "/api/store/cache-usage"
    return this.#add({ kind: "vote", word, path, body, snippet, value, sends: 0, answer: undefined })
  }

  /** The model holds those of the user `held`. */
  chat(user: string): Chat {
    const task = { word: newWord(), shell: Math.random() < 0.5 }
    const body = { user_query: promptOf(task), org_id: "kill", user_id: user, model: "sonnet" }
    const holdAt = user === "held" ? Math.floor(Math.random() * 3) : undefined
    const sent = { word: task.word, path: "/api/agent-chat", body, sends: 0, answer: undefined }
    return this.#add({ kind: "chat", task, holdAt, ...sent })
  }

  key(): KeyCreation {
    const word = newWord()
    const body = { email: `member${words % 20}@example.org`, key_name: word }
    return this.#add({ kind: "key", word, path: "/api/keys/org/create", body, sends: 0, answer: undefined })
  }

  /** Whether the model is to leave a run without an answer at this turn: each at most once. */
  holds(word: string, turn: number): boolean {
    const chat = this.of("chat").find((chat) => chat.word === word)
    if (chat === undefined || chat.holdAt !== turn) return false
    chat.holdAt = undefined
    return true
  }

  of<K extends Operation["kind"]>(kind: K): ReadonlyArray<Extract<Operation, { readonly kind: K }>> {
    return this.operations.filter((operation) => operation.kind === kind) as never
  }

  /** Sent, and cut off each time. */
  get unanswered(): ReadonlyArray<Operation> {
    return this.operations.filter(({ answer }) => answer === undefined)
  }

  /** Snippets that votes can go to. */
  get snippets(): ReadonlyArray<string> {
    return this.of("upload").flatMap(({ snippet }) => snippet ?? [])
  }
}
