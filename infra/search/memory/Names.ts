/** Names, few of them distinct, as numbers: a garbage collection does not go through a column of numbers. */
export class Names {
  readonly #names: Array<string> = []
  readonly #numbers = new Map<string, number>()

  /** The number of a name; a new name gets one. */
  put(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.#names.length
    this.#names.push(name)
    this.#numbers.set(name, number)
    return number
  }

  /** `undefined`: the name was never put. */
  number(name: string): number | undefined {
    return this.#numbers.get(name)
  }

  name(number: number): string {
    return this.#names[number]!
  }
}
