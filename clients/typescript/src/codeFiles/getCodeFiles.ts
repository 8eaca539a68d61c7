import type { APIPromise } from "../APIPromise.ts"
import { ValidationError } from "../errors.ts"
import type { Logger } from "../log.ts"
import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { withRequestId } from "../Result.ts"
import { type SearchMatch, type SearchParams, search } from "../resources/search.ts"
import type { Transport } from "../transport.ts"
import type { CodeFile } from "./CodeFile.ts"
import { promptOf } from "./prompt.ts"
import { writeFiles } from "./write.ts"

/** What `getCodeFiles` takes: a search, and where to put what it finds. */
export interface GetCodeFilesParams
  extends Pick<SearchParams, "task" | "topK" | "minVerdictScore" | "inputSchema" | "workspaceId"> {
  /**
   * The least score, 0 to 1, of what is offered. Unless given, what the service finds near enough is
   * (`SearchMatch.offered`). What has more votes against than for is never offered.
   */
  readonly minScore?: number | undefined
  /** Whether longer, more complete code comes first. Default: yes. */
  readonly preferComplete?: boolean | undefined
  /** Whether each file says above each function how it fared. Default: yes. */
  readonly perFunctionReputation?: boolean | undefined
  /** The folder that the files are written to; it is made when it is not there. Without it nothing is written. */
  readonly cacheDir?: string | undefined
}

/** What `getCodeFiles` gives. */
export interface GetCodeFilesResponse extends Result {
  /** The best first. */
  readonly files: ReadonlyArray<CodeFile>
  /** As it was given. */
  readonly task: string
  /** How many matches there are without `topK` and `minScore`. */
  readonly totalFound: number
  /** To put behind a model's system prompt: what there is, and how to use it. `""` when nothing is near enough. */
  readonly addToLlmPrompt: string
}

const fileOf = (match: SearchMatch): CodeFile => ({
  codeBlockId: match.codeBlock.id,
  filename: match.filename,
  path: null,
  source: match.codeBlock.source,
  entrypoint: match.entrypoint,
  description: match.codeBlock.description,
  inputSchema: match.codeBlock.inputSchema,
  outputSchema: match.codeBlock.outputSchema,
  language: match.language,
  dependencies: match.dependencies,
  score: match.score,
  thumbsUp: match.thumbsUp,
  thumbsDown: match.thumbsDown
})

const checked = ({ minScore }: GetCodeFilesParams): void => {
  if (minScore === undefined || (minScore >= 0 && minScore <= 1)) return
  throw new ValidationError("minScore is out of range; expected a number from 0 to 1.", "minScore")
}

/** A search answers with what is too far from the task, too. */
const isOffered = ({ score, thumbsUp, thumbsDown, offered }: SearchMatch, minScore: number | undefined): boolean =>
  minScore === undefined ? offered : score >= minScore && thumbsDown <= thumbsUp

export const getCodeFiles = (
  transport: Transport,
  log: Logger,
  params: GetCodeFilesParams,
  options?: RequestOptions
): APIPromise<GetCodeFilesResponse> => {
  const wanted = () => {
    checked(params)
    return {
      ...params,
      preferComplete: params.preferComplete ?? true,
      perFunctionReputation: params.perFunctionReputation ?? true
    }
  }
  return transport
    .send(() => search(wanted()), options)
    ._map(async ({ matches, totalFound, _requestId }) => {
      const { cacheDir, minScore } = params
      const found = matches.filter((match) => isOffered(match, minScore)).map(fileOf)
      const files = cacheDir === undefined ? found : await writeFiles(cacheDir, found, log)
      // a file that should be there and is not must not be promised to the model
      const offered = cacheDir === undefined ? files : files.filter(({ path }) => path !== null)
      const response = { files, task: params.task, totalFound, addToLlmPrompt: promptOf(offered) }
      return withRequestId(response, _requestId ?? null)
    })
}
