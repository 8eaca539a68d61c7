import { lintSource } from "@secretlint/core"
import { rules } from "@secretlint/secretlint-rule-preset-recommend"
import type { Match } from "./Rule.ts"

const prefix = "@secretlint/secretlint-rule-"

const used = rules
  // a comment in a file must not decide what everyone gets to see; and `user:pass@` is no password, as our own rule
  // knows
  .filter(({ meta }) => ![`${prefix}filter-comments`, `${prefix}basicauth`].includes(meta.id))
  .map((rule) => ({ id: rule.meta.id, rule }))

/** What Secretlint's recommended rules find. */
export const secretlint = async (text: string, path: string): Promise<ReadonlyArray<Match>> => {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)
  const dot = name.lastIndexOf(".")
  const { messages } = await lintSource({
    source: { content: text, filePath: `/${name}`, ext: dot > 0 ? name.slice(dot) : "", contentType: "text" },
    options: { noPhysicFilePath: true, config: { rules: used } }
  })
  const isMeant = ([from, to]: readonly [number, number]) =>
    !/x{6}|\*{3}|EXAMPLE/.test(text.slice(from, Math.min(to, from + 500)))
  return messages
    .filter(({ range }) => isMeant(range))
    .map(({ ruleId, messageId, range }) => ({
      at: range[0],
      kind: `${ruleId.replace(prefix, "")}: ${messageId}`
    }))
}
