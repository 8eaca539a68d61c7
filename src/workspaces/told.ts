import { Effect } from "effect"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { LanguageModel, type Talk } from "#ports/LanguageModel.ts"
import { Workers } from "#ports/Workers.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { type Account, accountIn, roomFor, withAccount } from "./account.ts"
import { type Compaction, talkOf } from "./compact.ts"
import type { Past } from "./past.ts"
import { systemPrompt } from "./system.ts"
import { toolset } from "./tools/toolset.ts"

/** The part of a run's talk that is the same at every turn; `account`: the account that the run began on. */
export const openingOf = (
  { requested, memory }: Past,
  account: Account,
  { named }: LanguageModel["Service"]["choices"]
): Pick<Talk, "model" | "system" | "prompt"> => {
  const { model, text } = requested.event
  const { prompt, org, user } = text ?? { prompt: "", org: "", user: "" }
  const context = named.find(({ name }) => name === model)?.context
  return {
    model,
    system: systemPrompt(org, user, memory),
    prompt: withAccount(prompt, account, roomFor(context))
  }
}

/** The compaction that the model was told at a turn; `undefined`: it was told all of the turns before. */
export const compactionAt = ({ compactions }: Past, turn: number): Compaction | undefined =>
  compactions.findLast((one) => one.turn < turn)

/** A shell for the tools' forms alone: nothing runs in it. */
const noShell = { exec: () => Effect.die(new Error("no tool of a turn that was taken runs again")) }

/**
 * What a run's model was told at a turn that it has taken, built from the log and the workspace's files by the code
 * that builds it for a run that goes on. Three things are in no log, and are as this version and its configuration have
 * them: the words of the system prompt, those of the tools, and how much of an account a model is told. Makes the
 * repository if there is none.
 */
export const toldAt = Effect.fnUntraced(function* (past: Past, turn: number) {
  const { workspace, generation } = past.requested.event
  const git = yield* WorkspaceStore
  const { choices } = yield* LanguageModel
  const overlay = yield* git.open(repositoryOf(workspace, generation), past.started?.base?.tree)
  const account = past.memory ? yield* accountIn(overlay) : ({ _tag: "None" } as const)
  const tools = toolset(overlay, noShell, yield* Workers, () => Effect.succeed({ found: [], stale: false }))
  const opening = { ...openingOf(past, account, choices), tools }
  return { account, talk: talkOf(opening, past.exchanges.slice(0, turn - 1), compactionAt(past, turn)) }
})

/** The tree of a run's files after a turn; `undefined`: none were written, and there were none before. */
export const treeAfter = ({ started, trees }: Past, turn: number): string | undefined =>
  trees.findLast((one) => one.turn <= turn)?.tree ?? started?.base?.tree
