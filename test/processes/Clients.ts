import { type Match, ownerKey } from "#test/e2e/kill/calls.ts"
import type { Ledger, Operation, Upload } from "#test/e2e/kill/Ledger.ts"
import { type Answer, send } from "#test/service/call.ts"

/** What a load balancer says of a process that is gone: the same request is sent again. */
const passing = [502, 503, 504]

/** Clients of one address, which never know which process answers them. */
export class Clients {
  readonly defects: Array<string> = []
  /** Uploads that were deleted again, and acknowledged as that. */
  readonly deleted: Array<Upload> = []
  /** Milliseconds until each search was answered, however often it was sent. */
  readonly searches: Array<number> = []
  /** Searches that said that they did not know better. */
  stale = 0
  /** Requests that were sent again, after a connection that ended or an answer that says so. */
  again = 0
  #ending = false
  readonly #url: string
  readonly #ledger: Ledger

  constructor(url: string, ledger: Ledger) {
    this.#url = url
    this.#ledger = ledger
  }

  /** Every client ends what it has begun, and begins nothing more. */
  end(): void {
    this.#ending = true
  }

  /** 32 of them; resolves when all have ended. */
  async run(): Promise<void> {
    const each = (count: number, client: (n: number) => Promise<void>) =>
      Array.from({ length: count }, async (_, n) => {
        while (!this.#ending) await client(n)
      })
    await Promise.all([
      ...each(10, () => this.#upload()),
      ...each(6, () => this.#vote()),
      ...each(4, () => this.#delete()),
      ...each(4, () => this.#search()),
      // some share a workspace: their runs queue up
      ...each(7, (n) => this.#chat(`user-${n % 4}`)),
      ...each(1, () => this.#chat("held"))
    ])
  }

  /** Sends a request until a process has answered it, under the same key each time. */
  async #sent(path: string, body: unknown, key: string, operation?: Operation): Promise<Answer> {
    for (;;) {
      if (operation !== undefined) operation.sends += 1
      const headers = { authorization: `Bearer ${ownerKey}`, "idempotency-key": key }
      const answer = await send(this.#url, "POST", path, body, headers).catch(() => undefined)
      if (answer !== undefined && !passing.includes(answer.status)) return answer
      this.again += 1
      await pause(20 + Math.random() * 100)
    }
  }

  async #deliver(operation: Operation): Promise<boolean> {
    const { status, headers, json, text } = await this.#sent(operation.path, operation.body, operation.word, operation)
    if (status !== 200) {
      this.defects.push(`${operation.kind} ${operation.word} (sent ${operation.sends} times): ${status} ${text}`)
      return false
    }
    operation.answer = { position: Number(headers.get("cairn-position")), json }
    return true
  }

  /** The snippet with this word; `undefined` after an answer that is no search's, or without it. */
  async #find(word: string): Promise<Match | undefined> {
    const body = { task: word, min_verdict_score: 0 }
    const since = performance.now()
    const answer = await this.#sent("/api/retrieve/search", body, `${word} ${Math.random()}`)
    const { status, headers, json, text } = answer
    this.searches.push(performance.now() - since)
    if (status !== 200) {
      this.defects.push(`search for ${word}: ${status} ${text}`)
      return undefined
    }
    if (headers.get("cairn-stale") === "true") this.stale += 1
    return (json.matches as ReadonlyArray<Match>).find(({ code_block }) => code_block.source.includes(word))
  }

  /** Stores something new, and finds it: the snippet's id. */
  async #stored(upload: Upload): Promise<string | undefined> {
    if (!(await this.#deliver(upload))) return undefined
    const found = await this.#find(upload.word)
    if (found === undefined) this.defects.push(`the upload of ${upload.word} is not found by its own client`)
    return found?.code_block.id
  }

  async #upload(): Promise<void> {
    const upload = this.#ledger.upload()
    upload.snippet = await this.#stored(upload)
  }

  async #vote(): Promise<void> {
    const known = this.#ledger.snippets.slice(-20)
    const snippet = known[Math.floor(Math.random() * known.length)]
    if (snippet === undefined) return void (await pause(50))
    await this.#deliver(this.#ledger.vote(snippet))
  }

  /** What is to be deleted nobody else knows, so that nobody votes for it. */
  async #delete(): Promise<void> {
    const upload = this.#ledger.upload()
    const snippet = await this.#stored(upload)
    if (snippet === undefined) return
    const { status, text } = await this.#sent("/api/snippets/delete", { snippet_id: snippet }, `delete ${upload.word}`)
    if (status !== 200) return void this.defects.push(`deletion of ${upload.word}: ${status} ${text}`)
    this.#ledger.operations.splice(this.#ledger.operations.indexOf(upload), 1)
    this.deleted.push({ ...upload, snippet })
    if ((await this.#find(upload.word)) !== undefined) this.defects.push(`${upload.word} is found after it was deleted`)
  }

  async #search(): Promise<void> {
    const known = this.#ledger.of("upload").filter(({ snippet }) => snippet !== undefined)
    const one = known[Math.floor(Math.random() * known.length)]
    if (one === undefined) return void (await pause(50))
    if ((await this.#find(one.word)) === undefined)
      this.defects.push(`a search does not find ${one.word}, which is long there`)
  }

  async #chat(user: string): Promise<void> {
    await this.#deliver(this.#ledger.chat(user))
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
