import type { Declaration } from "./declarations.ts"

const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")

/** Languages whose functions all belong to types. */
const typesOnly = new Set(["java", "csharp"])

const isTest = ({ name }: Declaration): boolean => /^(?:test_|test[A-Z]|_)/.test(name)

const lengthOf = ({ node }: Declaration): number => node.endIndex - node.startIndex

const longestOf = (declarations: ReadonlyArray<Declaration>): Declaration | undefined =>
  declarations.reduce<Declaration | undefined>(
    (longest, one) => (longest === undefined || lengthOf(one) >= lengthOf(longest) ? one : longest),
    undefined
  )

/** `some` that fulfil the condition, or all when none does. */
const preferring = <A>(some: ReadonlyArray<A>, condition: (one: A) => boolean): ReadonlyArray<A> => {
  const preferred = some.filter(condition)
  return preferred.length > 0 ? preferred : some
}

/** The functions that no other one mentions: in a script, this leaves out helpers of the main function. */
const unused = (functions: ReadonlyArray<Declaration>, all: ReadonlyArray<Declaration>): ReadonlyArray<Declaration> => {
  const mentions = all
    .filter((declaration) => !isTest(declaration))
    .map((declaration) => ({
      declaration,
      words: new Set(declaration.node.text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu))
    }))
  return preferring(
    functions,
    (one) => !mentions.some(({ declaration, words }) => declaration !== one && words.has(one.name))
  )
}

/**
 * The declaration that a caller of the file would call: the function named like the file, else the default export, else
 * `main`, else the longest public function that no other one uses, else the default type, else the longest public type.
 */
export const entrypointOf = (
  declarations: ReadonlyArray<Declaration>,
  language: string,
  stem: string
): Declaration | undefined => {
  const functions = declarations.filter(
    ({ kind, owner, node }) =>
      kind === "function" && (owner === null || (typesOnly.has(language) && node.type !== "constructor_declaration"))
  )
  const types = declarations.filter(({ kind, owner }) => kind === "type" && owner === null)
  const named = functions.filter(({ name }) => plain(name) !== "" && plain(name) === plain(stem))
  const candidates = preferring(
    preferring(functions, ({ isPublic }) => isPublic),
    (declaration) => !isTest(declaration)
  )
  return (
    named[0] ??
    functions.find(({ isDefault }) => isDefault) ??
    functions.find(({ name }) => name === "main") ??
    longestOf(unused(candidates, functions)) ??
    types.find(({ isDefault }) => isDefault) ??
    longestOf(preferring(types, ({ isPublic }) => isPublic))
  )
}
