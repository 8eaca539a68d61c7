/** Names of which few are different, by numbers: a column of numbers is nothing that a collection goes through. */
export class Names {
  readonly #names: Array<string> = []
  readonly #numbers = new Map<string, number>()

  /** The number of a name, which it has from then on. */
  put(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.#names.length
    this.#names.push(name)
    this.#numbers.set(name, number)
    return number
  }

  /** `undefined`: nothing was called so. */
  number(name: string): number | undefined {
    return this.#numbers.get(name)
  }

  name(number: number): string {
    return this.#names[number]!
  }
}
