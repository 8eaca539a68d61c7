import type { ToolDefinition } from "#ports/LanguageModel.ts"
import type { Shell } from "#ports/Sandbox.ts"
import type { Overlay } from "#ports/Workspaces.ts"
import { bash } from "./Bash.ts"
import { edit } from "./Edit.ts"
import { glob } from "./Glob.ts"
import { grep } from "./Grep.ts"
import { read } from "./Read.ts"
import { type SearchForSnippets, searchSnippets } from "./SearchSnippets.ts"
import { write } from "./Write.ts"

/** Every tool of a run, all on one view of its files. */
export const toolset = (overlay: Overlay, shell: Shell, search: SearchForSnippets): ReadonlyArray<ToolDefinition> => [
  read(overlay),
  write(overlay),
  edit(overlay),
  bash(overlay, shell),
  glob(overlay),
  grep(shell),
  searchSnippets(search)
]
