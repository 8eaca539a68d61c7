import type { FoundSecret } from "#ports/SecretScan.ts"
import { assignments } from "./assignments.ts"
import { privateKeys } from "./privateKeys.ts"
import type { Match } from "./Rule.ts"
import { secretlint } from "./secretlint.ts"
import { services } from "./services.ts"

const all = [...privateKeys, ...services, ...assignments]

/** Findings that are reported. */
const most = 20
/** Findings of one rule that are looked at: a file of nothing but keys is refused by its first ones. */
const mostOfOne = 200

/** Whether a finding's kind says only that the value is called a secret. */
const isVague = (kind: string): boolean => kind === "assigned secret"

/**
 * The findings in a text, one a line, in order of lines. Of several in one line, the first whose kind is known counts.
 */
export const scanForSecrets = async (path: string, text: string): Promise<ReadonlyArray<FoundSecret>> => {
  const matches: Array<Match> = [...(await secretlint(text, path))]
  for (const rule of all) {
    let count = 0
    for (const match of rule(text, path)) {
      matches.push(match)
      if (++count >= mostOfOne) break
    }
  }
  const found: Array<FoundSecret> = []
  let line = 1
  let at = 0
  // lines as an editor counts them: a linter counts more where a text has separators of other kinds
  for (const match of matches.sort((one, other) => one.at - other.at)) {
    for (; at < match.at; at++) if (text[at] === "\n") line += 1
    const before = found.at(-1)
    if (before?.line !== line) {
      if (found.length === most) break
      found.push({ line, kind: match.kind })
    } else if (isVague(before.kind)) found[found.length - 1] = { line, kind: match.kind }
  }
  return found
}
