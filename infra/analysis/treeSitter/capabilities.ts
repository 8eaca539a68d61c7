import { capabilityOf } from "#domain/capabilities.ts"

/** Characters of a sentence that is still a phrase. */
const longest = 80

/** Calls that need no import. */
const calls: { readonly [language: string]: ReadonlyArray<readonly [RegExp, string]> } = {
  python: [[/(?<![\w.])open\(/, "filesystem"]],
  typescript: [[/(?<![\w.])fetch\(/, "network access"]],
  javascript: [[/(?<![\w.])fetch\(/, "network access"]],
  go: [[/\bos\.(?:Open|Create|ReadFile|WriteFile|ReadDir|Remove|Mkdir)/, "filesystem"]],
  ruby: [
    [/\b(?:File|Dir|IO)\.\w/, "filesystem"],
    [/\bNet::HTTP\b/, "network access"]
  ],
  rust: [
    [/\bfs::\w/, "filesystem"],
    [/\bprocess::Command\b/, "subprocesses"]
  ]
}

/** The first sentence of a description, when it is short. */
const said = (description: string): ReadonlyArray<string> => {
  const sentence = /^(.+?)(?:[.!](?=\s|$)|$)/.exec(description)?.[1]?.trim() ?? ""
  return sentence.length >= 3 && sentence.length <= longest ? [sentence] : []
}

/** What a file can do or reaches, by what it says of itself, its modules and calls: short phrases, at most `count`. */
export const capabilitiesOf = (
  description: string,
  modules: ReadonlyArray<string>,
  language: string,
  source: string,
  count: number
): ReadonlyArray<string> => {
  const phrases = new Set([...said(description), ...modules.flatMap((module) => capabilityOf(module) ?? [])])
  const head = source.slice(0, 100_000)
  for (const [call, phrase] of Object.hasOwn(calls, language) ? calls[language]! : []) {
    if (call.test(head)) phrases.add(phrase)
  }
  return [...phrases].slice(0, count)
}
