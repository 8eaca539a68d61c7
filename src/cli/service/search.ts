import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Explanation } from "../../../clients/typescript/src/index.ts"
import { answer, plain, table } from "../output.ts"
import { service, workspaceFlag } from "./asking.ts"

const signed = (value: number): string => `${value < 0 ? "" : "+"}${value.toFixed(2)}`

/** A word that a match has, and the task's word in its place. */
const named = ({ word, asked }: Explanation["words"][number]): string =>
  asked === null ? plain(word) : `${plain(asked)} → ${plain(word)}`

/** Why a match has its score, line by line. */
const explained = (name: string, of: Explanation): ReadonlyArray<string> => [
  "",
  `${plain(name)}: ${of.probability.toFixed(2)} by words and meaning`,
  `  words ${of.wordShare.toFixed(2)}: ${of.words.map((word) => `${named(word)} (${word.place}) ${word.share.toFixed(2)}`).join(", ")}`,
  `  meaning (by ${plain(of.meaningBy)}) ${of.cosine.toFixed(2)}: ${of.nearest.map(({ asked, found, cosine }) => `${plain(asked)} → ${plain(found)} ${cosine.toFixed(2)}`).join(", ")}`,
  ...(of.learned?.tasks ?? []).map(
    ({ task, up, down, nearness }) =>
      `  for ${task === null ? "a task of somebody else" : plain(task)} (${nearness.toFixed(2)} near): ${up} for it, ${down} against`
  ),
  `  votes ${signed(of.verdict.effect)}, for such tasks ${signed(of.learned?.effect ?? 0)}, completeness ${signed(of.completeness.effect)}, near to everything ${signed(of.hub.effect)}, ${of.length.characters} characters ${signed(of.length.effect)}`
]

/** How many characters of a description are shown. */
const shown = 60

export const command = Command.make(
  "search",
  {
    task: Argument.String("task").pipe(Argument.withDescription("What the code should do, in plain words")),
    limit: Flag.Int("limit").pipe(Flag.withDescription("How many at most (default: 5)"), Flag.withDefault(5)),
    public: Flag.Boolean("public").pipe(
      Flag.withDescription("Also find other organizations' public snippets"),
      Flag.withDefault(false)
    ),
    explain: Flag.Boolean("explain").pipe(Flag.withDescription("Explain each score"), Flag.withDefault(false)),
    workspace: workspaceFlag
  },
  ({ task, limit, public: publicSnips, explain, workspace }) =>
    Effect.gen(function* () {
      const ask = yield* service({ workspace, publicSnips })
      const given = { task, topK: limit, ...(explain ? { explain } : {}) }
      const { data, wire } = yield* ask((cairn, options) => cairn.snippets.search(given, options))
      const late = data.stale ? ["The index is behind. What was stored last may be missing: ask again for it."] : []
      yield* answer(wire, () =>
        data.matches.length === 0
          ? ["Nothing is found.", ...late]
          : [
              ...late,
              ...(data.fallback === null
                ? []
                : [`By the service's own table, not by its embedding model (${plain(data.fallback)}).`]),
              ...data.mended.map(
                ({ asked, found }) => `No snippet has ${plain(asked)}: taken for ${found.map(plain).join(", ")}.`
              ),
              ...table(
                ["id", "name", "score", "up", "down", "language", "description"],
                data.matches.map(({ codeBlock, score, thumbsUp, thumbsDown }) => [
                  ...[codeBlock.id, codeBlock.name, score.toFixed(2), thumbsUp, thumbsDown, codeBlock.language],
                  plain(codeBlock.description).slice(0, shown)
                ])
              ),
              ...data.matches.flatMap(({ codeBlock, explanation }) =>
                explanation === null ? [] : explained(codeBlock.name, explanation)
              )
            ]
      )
    })
).pipe(Command.withDescription("Find snippets for a task, best first; `cairn snippet show ID` prints one"))
