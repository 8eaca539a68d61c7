/** What a call gives besides its result. */
export interface WithResponse<T> {
  readonly data: T
  /** The HTTP answer; its body is read already. */
  readonly response: Response
  /** The service's id of the request, for its operator; `null` when the answer has none. */
  readonly requestId: string | null
}

/**
 * A call that is under way: a promise of its result, and of the HTTP answer with it.
 *
 * ```ts
 * const { data, requestId } = await cairn.search({ task }).withResponse()
 * ```
 */
export class APIPromise<T> implements Promise<T> {
  readonly [Symbol.toStringTag]: string = "APIPromise"
  readonly #answer: Promise<WithResponse<T>>

  constructor(answer: Promise<WithResponse<T>>) {
    this.#answer = answer
  }

  /** The result together with the HTTP answer and the request's id. Fails as the call does. */
  withResponse(): Promise<WithResponse<T>> {
    return this.#answer
  }

  /** The same call with its result turned into another. */
  map<U>(change: (data: T) => U | Promise<U>): APIPromise<U> {
    return new APIPromise(this.#answer.then(async ({ data, ...rest }) => ({ ...rest, data: await change(data) })))
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<A = T, B = never>(
    onfulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    return this.#answer.then(({ data }) => data).then(onfulfilled, onrejected)
  }

  catch<B = never>(onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onrejected)
  }

  finally(onfinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onfinally)
  }
}
