import type { Shell } from "#ports/Sandbox.ts"
import type { Workers } from "#ports/Workers.ts"
import type { Overlay } from "#ports/WorkspaceStore.ts"
import { bash } from "./Bash.ts"
import { edit } from "./Edit.ts"
import { glob } from "./Glob.ts"
import { grep } from "./Grep.ts"
import { read } from "./Read.ts"
import { type SearchForSnippets, searchSnippets } from "./SearchSnippets.ts"
import type { Tool } from "./tool.ts"
import { write } from "./Write.ts"

/** Every tool of a run, all on one view of its files. */
export const toolset = (
  overlay: Overlay,
  shell: Shell,
  workers: Workers["Service"],
  search: SearchForSnippets
): ReadonlyArray<Tool> => [
  read(overlay, workers),
  write(overlay),
  edit(overlay, workers),
  bash(overlay, shell),
  glob(overlay, workers),
  grep(shell),
  searchSnippets(search)
]
