/** The number of the empty name, which a free slot has. */
export const nameless = 0

/**
 * Names, few of them distinct, as numbers: a garbage collection does not go through a column of numbers. A name that is
 * not used any more is forgotten, and its number is reused.
 */
export class Names {
  readonly #names = [""]
  readonly #numbers = new Map([["", nameless]])
  /** By number. The empty name's are not looked at. */
  readonly #uses = [0]
  readonly #freed: Array<number> = []

  /** The number of a name, for one more use of it; a new name gets one. */
  put(name: string): number {
    const number = this.#numbers.get(name) ?? this.#insert(name)
    this.#uses[number]!++
    return number
  }

  /** Ends one use of the name that has this number. */
  drop(number: number): void {
    if (number === nameless || --this.#uses[number]! > 0) return
    this.#numbers.delete(this.#names[number]!)
    this.#names[number] = ""
    this.#freed.push(number)
  }

  /** `undefined`: the name is not used. */
  number(name: string): number | undefined {
    return this.#numbers.get(name)
  }

  name(number: number): string {
    return this.#names[number]!
  }

  #insert(name: string): number {
    const number = this.#freed.pop() ?? this.#names.length
    this.#names[number] = name
    this.#uses[number] = 0
    this.#numbers.set(name, number)
    return number
  }
}
