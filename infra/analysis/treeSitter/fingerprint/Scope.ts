/** A local name's one meaning; numbered when it is first written out. */
export interface Binding {
  id: number | undefined
}

/** The names that a part of a function declares. `null`: the name is declared elsewhere, and stays as it is. */
export class Scope {
  readonly names = new Map<string, Binding | null>()
  readonly parent: Scope | undefined
  /** A class body's names are not seen from the functions in it. */
  readonly isClass: boolean

  constructor(parent: Scope | undefined, isClass = false) {
    this.parent = parent
    this.isClass = isClass
  }

  bind(name: string): void {
    this.names.set(name, { id: undefined })
  }

  find(name: string): Binding | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      const found = scope.names.get(name)
      if (found !== undefined) return found ?? undefined
    }
    return undefined
  }
}
