import { findSnippet, post } from "./calls.ts"
import type { Ledger, Operation } from "./Ledger.ts"

const uploadsARound = 30
const votesARound = 40

/** What one round's clients do at the same time, until the service is killed. */
export class Workload {
  /** Answers that came whole, by kind. */
  readonly acknowledged = { upload: 0, vote: 0, chat: 0, key: 0 }
  /** Answers 5xx other than 503: the same request is sent again. */
  readonly defects: Array<string> = []
  readonly #url: string
  readonly #ledger: Ledger
  #ending = false
  #changed = () => {}

  constructor(url: string, ledger: Ledger) {
    this.#url = url
    this.#ledger = ledger
  }

  /** Whoever is cut off from now on is to expect it. */
  end(): void {
    this.#ending = true
    this.#changed()
  }

  /** Resolves when a condition on what was acknowledged holds. */
  reached(condition: (acknowledged: Workload["acknowledged"]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = () => {
        if (this.#ending || condition(this.acknowledged)) resolve()
      }
      this.#changed()
    })
  }

  /** Sends what was cut off again, and much that is new; resolves when every client was cut off. */
  async run(round: number): Promise<void> {
    const again = this.#ledger.unanswered.map((operation) => this.deliver(operation))
    await Promise.all([
      ...again,
      ...[1, 2, 3].map(() => this.#upload()),
      ...[1, 2, 3].map(() => this.#vote()),
      this.#chat("held"),
      // two in one workspace: their runs queue up
      ...["busy", "busy", `quiet-${round % 4}`].map((user) => this.#chat(user)),
      this.deliver(this.#ledger.key()),
      this.#search()
    ])
  }

  /** Sends until an answer has come whole or the service is killed; `false`: it was cut off. */
  async deliver(operation: Operation): Promise<boolean> {
    for (;;) {
      if (this.#ending) return false
      operation.sends += 1
      const answer = await post(this.#url, operation.path, operation.body).catch((error) => {
        if (this.#ending) return undefined
        throw new Error(`no answer to ${operation.kind} ${operation.word}`, { cause: error })
      })
      if (answer === undefined) return false
      const { status, headers, json, text } = answer
      if (status === 200) {
        operation.answer = { position: Number(headers.get("cairn-position")), json }
      } else if (operation.kind === "key" && operation.sends > 1 && json?.code === "conflict/already_created") {
        // its secret went with the answer that was cut off
        operation.answer = { position: 0, json }
      } else if (status >= 500) {
        if (status !== 503) this.defects.push(`${operation.kind}: ${status} ${text}`)
        await passingly()
        continue
      } else throw new Error(`${operation.kind} ${operation.word} was answered ${status}: ${text}`)
      this.acknowledged[operation.kind] += 1
      this.#changed()
      return true
    }
  }

  async #upload(): Promise<void> {
    while (this.acknowledged.upload < uploadsARound) if (!(await this.#stored())) return
  }

  async #vote(): Promise<void> {
    if (!(await this.#stored())) return
    while (this.acknowledged.vote < votesARound) {
      const recent = this.#ledger.snippets.slice(-20)
      const snippet = recent[Math.floor(Math.random() * recent.length)]!
      if (!(await this.deliver(this.#ledger.vote(snippet)))) return
    }
  }

  async #chat(user: string): Promise<void> {
    while (await this.deliver(this.#ledger.chat(user)));
  }

  async #search(): Promise<void> {
    const known = this.#ledger.of("upload").filter(({ answer }) => answer !== undefined)
    for (const { word } of known.slice(-20)) if (!(await this.#find(word))) return
  }

  async #stored(): Promise<boolean> {
    const upload = this.#ledger.upload()
    if (!(await this.deliver(upload))) return false
    upload.snippet = await this.#find(upload.word)
    return upload.snippet !== undefined
  }

  /** An upload that was acknowledged is found by the next search; `undefined`: the search was cut off. */
  async #find(word: string): Promise<string | undefined> {
    for (;;) {
      const { status, text, stale, match } = await findSnippet(this.#url, word).catch((error) => {
        if (this.#ending) return { status: 0, text: "", stale: false, match: undefined }
        throw error
      })
      if (status === 0) return undefined
      if (match !== undefined) return match.code_block.id
      if (status < 500 && !stale) throw new Error(`the upload of ${word} is not found: ${status} ${text}`)
      if (this.#ending) return undefined
      if (status >= 500 && status !== 503) this.defects.push(`search: ${status} ${text}`)
      await passingly()
    }
  }
}

/** A moment, before the same request is sent again. */
const passingly = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 50))
