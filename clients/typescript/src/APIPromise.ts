import { requestIdOf } from "./failure.ts"

/** An answer of the service, read to its end. */
export interface Answered {
  readonly response: Response
  readonly body: string | Uint8Array
}

/** What a call gives besides its result. */
export interface WithResponse<T> {
  /** The same as awaiting the call gives. */
  readonly data: T
  /** The HTTP answer. Its body can be read: it has what a newer service says and this version does not know. */
  readonly response: Response
  /** The service's id of the request, for its operator; `null` when the answer has none. */
  readonly requestId: string | null
}

type BodyOf = ConstructorParameters<typeof Response>[0]

/** The answer as if nobody had read it. */
const unread = ({ response, body }: Answered): Response => {
  const { status, statusText, headers, url } = response
  // a 204 may not even have an empty body
  const copy = new Response(body.length === 0 ? null : (body as BodyOf), { status, statusText, headers })
  return Object.defineProperty(copy, "url", { value: url })
}

/**
 * A call that is under way: a promise of its result, and of the HTTP answer with it.
 *
 * ```ts
 * const { data, requestId } = await cairn.search({ task }).withResponse()
 * ```
 */
export class APIPromise<T> implements Promise<T> {
  /** What `Object.prototype.toString` calls it. */
  readonly [Symbol.toStringTag]: string = "APIPromise"
  readonly #answer: Promise<Answered>
  readonly #read: (answer: Answered) => T | Promise<T>
  #result: Promise<T> | undefined

  /** @internal */
  constructor(answer: Promise<Answered>, read: (answer: Answered) => T | Promise<T>) {
    this.#answer = answer
    this.#read = read
  }

  /** The result together with the HTTP answer and the request's id. Fails as the call does. */
  async withResponse(): Promise<WithResponse<T>> {
    const [data, response] = await Promise.all([this.#data(), this.asResponse()])
    return { data, response, requestId: requestIdOf(response) }
  }

  /** The HTTP answer alone, as it came: no result is made of it. Fails as the call does. */
  async asResponse(): Promise<Response> {
    return unread(await this.#answer)
  }

  /** @internal The same call with its result turned into another. */
  _map<U>(change: (data: T) => U | Promise<U>): APIPromise<U> {
    return new APIPromise(this.#answer, async () => change(await this.#data()))
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<A = T, B = never>(
    onfulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    return this.#data().then(onfulfilled, onrejected)
  }

  catch<B = never>(onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onrejected)
  }

  finally(onfinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onfinally)
  }

  /** Read when it is first asked for, and once. */
  #data(): Promise<T> {
    this.#result ??= this.#answer.then(this.#read)
    return this.#result
  }
}
