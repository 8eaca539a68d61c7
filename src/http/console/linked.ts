import { posix } from "node:path"

/** What a module takes from another one, as the formatter writes it: a default, names, or nothing but that it runs. */
const taken = /(import|export) (?:(?:([\w$]+)|\{([^}]*)\}) from )?"([^"]+)";?/y

/** What stands between. Behind the first other statement a line that reads like one of them may be somebody's text. */
const between = /(?:\s|\/\/.*|\/\*(?:[^*]|\*(?!\/))*\*\/)*/y

/** What a module gives by itself. No `let`: who takes it is given what it is when the module has run. */
const given = /^export (?=(?:const|class|(?:async )?function) ([\w$]+))/gm

/**
 * What would mean another thing in one module, or nothing: a statement of a module behind its head, several names in
 * one `export const`, what is waited for outside of a function, another file that is taken later, and its own address.
 */
const unknown = [
  /^(?:import|export)\b.*/m,
  /^const [\w$]+ = [^\n(]*,$/m,
  /^(?:await\b|(?:const|let|var)\b[^\n]*= await\b).*/m,
  /\bimport\((?!name\)|\/\*.*\*\/ name\)|"[^."]).*/,
  /\bimport\.meta\b.*/
]

const namesIn = (list: string): ReadonlyArray<readonly [name: string, as: string]> =>
  list
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map((one) => {
      const [name, as = name] = one.split(" as ")
      return [name!, as!]
    })

/** What stands for a module, and the names that it gives, but of a package. */
interface Named {
  readonly name: string
  readonly gives?: ReadonlySet<string>
}

/**
 * Modules as one, because each file more costs a browser several milliseconds before the first of them runs: each is a
 * function that gives what it exports, in the order in which they would run. `entry` and those that it leads to are
 * named by their paths; others, the packages, are imported by their names as before. Fails where a module says
 * something that this does not know: what is linked means the same as its parts, or is not served.
 */
export const linked = (entry: string, textOf: (path: string) => string): string => {
  const packages = new Map<string, Named>()
  /** `undefined`: it is being read. */
  const modules = new Map<string, Named | undefined>()
  const texts: Array<string> = []
  const named = (from: string, name: string): Named => {
    if (!name.startsWith(".")) {
      const found = packages.get(name) ?? { name: `package${packages.size}` }
      packages.set(name, found)
      return found
    }
    const path = posix.join(posix.dirname(from), name)
    if (!modules.has(path)) add(path)
    const found = modules.get(path)
    if (found === undefined) throw new Error(`${path} and ${from} import each other.`)
    return found
  }
  const add = (path: string): void => {
    modules.set(path, undefined)
    const exported = new Map<string, string>()
    const text = textOf(path)
    let taking = ""
    let at = 0
    const next = (pattern: RegExp) => {
      pattern.lastIndex = at
      const found = pattern.exec(text)
      at += found?.[0].length ?? 0
      return found
    }
    for (;;) {
      next(between)
      const found = next(taken)
      if (found === null) break
      const [, kind, single, list, from] = found
      const { name, gives } = named(path, from!)
      const pairs = single === undefined ? namesIn(list ?? "") : ([["default", single]] as const)
      for (const [one] of pairs)
        if (gives?.has(one) === false) throw new Error(`${path} can't be linked: ${from} has no ${one}`)
      if (kind === "export") for (const [one, as] of pairs) exported.set(as, `${name}.${one}`)
      else if (pairs.length > 0)
        taking += `const { ${pairs.map(([one, as]) => (one === as ? one : `${one}: ${as}`)).join(", ")} } = ${name}\n`
    }
    const body = text.slice(at).replace(given, (_, name: string) => {
      exported.set(name, name)
      return ""
    })
    for (const pattern of unknown) {
      const found = pattern.exec(body)
      if (found !== null) throw new Error(`${path} can't be linked: ${found[0]}`)
    }
    const name = `module${texts.length}`
    const answer = Array.from(exported, ([as, name]) => (as === name ? as : `${as}: ${name}`)).join(", ")
    texts.push(`// ${path}\nconst ${name} = (() => {\n${taking}${body}\nreturn { ${answer} }\n})()\n`)
    modules.set(path, { name, gives: new Set(exported.keys()) })
  }
  add(entry)
  const imports = Array.from(packages, ([name, as]) => `import * as ${as.name} from "${name}"\n`)
  return [...imports, ...texts].join("")
}
