import { Cairn } from "../Cairn.ts"
import type { GetCodeFilesParams, GetCodeFilesResponse } from "../codeFiles/getCodeFiles.ts"
import { variable } from "../environment.ts"
import type { CairnOptions, RequestOptions } from "../options.ts"
import type { BulkExecutionResultResponse } from "../resources/bulk.ts"
import type { ChatParams } from "../resources/chat.ts"
import type { ChatResponse } from "../resources/chatResponse.ts"
import { type CommentParams, type CommentResponse, comment } from "../resources/comments.ts"
import {
  executions,
  type GetExecutionsParams,
  type RetrieveExecutionsResponse,
  type StoreExecutionParams,
  type StoreExecutionResponse,
  storeExecution
} from "../resources/executions.ts"
import { type SearchLogsParams, type SearchLogsResponse, searchLogs } from "../resources/logs.ts"
import {
  type FewShotExample,
  fewShotExamples,
  type GetTaskPatternsParams,
  type TaskPattern,
  taskPatterns
} from "../resources/patterns.ts"
import {
  type BrowsePublicParams,
  type BrowsePublicResponse,
  browsePublic,
  type SearchPublicParams,
  type SearchPublicResponse,
  searchPublic
} from "../resources/publicSnippets.ts"
import { type AutoReviewParams, type AutoReviewResponse, autoReview } from "../resources/reviews.ts"
import type { SearchParams, SearchResponse } from "../resources/search.ts"
import type { DeleteResponse, VoteCodeSnipParams, VoteCodeSnipResponse } from "../resources/snippets.ts"
import { type StoreCodeBlockParams, type StoreCodeBlockResponse, storeCodeBlock } from "../resources/storeCodeBlock.ts"
import type { SubmitExecutionResultResponse } from "../resources/upload.ts"
import { type AgentAccessibleFunction, type AgentCallable, publishFunctionRegistry } from "./accessible.ts"
import {
  bestOf,
  codeSnipsOf,
  type RetrieveBestResponse,
  type RetrieveCodeBlockResponse,
  type RetrieveParams
} from "./retrieval.ts"
import {
  type BulkArguments,
  bulkOf,
  type UploadArguments,
  type UploadBulkCodeSnipsOptions,
  type UploadNewCodeSnipOptions,
  uploadsOf
} from "./uploads.ts"

/**
 * Those of `Cairn`. The environment's `RAYSURFER_API_KEY` and `RAYSURFER_BASE_URL` count where `CAIRN_…` are not set.
 */
export type RaySurferOptions = CairnOptions

/**
 * The methods of the client that this one stands in for, under their names, on a Cairn service: change the import, and
 * `baseUrl`. Everything that `Cairn` promises holds here too; it is tried four times by default.
 */
export class RaySurfer {
  /** The same service under the names of this library. */
  readonly cairn: Cairn

  constructor(options: RaySurferOptions = {}) {
    this.cairn = new Cairn({
      maxRetries: 3,
      ...options,
      // empty was as good as none there
      organizationId: options.organizationId || undefined,
      workspaceId: options.workspaceId || undefined,
      agentId: options.agentId || undefined,
      apiKey: options.apiKey || variable("CAIRN_API_KEY") || variable("RAYSURFER_API_KEY"),
      baseUrl: options.baseUrl || variable("CAIRN_BASE_URL") || variable("RAYSURFER_BASE_URL")
    })
  }

  /** Finds snippets for a task, the best first. */
  async search(params: SearchParams): Promise<SearchResponse> {
    return this.cairn.search(params)
  }

  /** Stores what a task produced: an object, or the arguments in a row. Several files are several calls, added up. */
  async upload(
    ...given: readonly [options: UploadNewCodeSnipOptions] | UploadArguments
  ): Promise<SubmitExecutionResultResponse> {
    const [first, ...others] = uploadsOf(given)
    let sum = await this.cairn.upload(first!)
    for (const one of others) {
      const { success, codeBlocksStored } = await this.cairn.upload(one)
      sum = { ...sum, success: sum.success && success, codeBlocksStored: sum.codeBlocksStored + codeBlocksStored }
    }
    return others.length === 0 ? sum : { ...sum, message: `Uploaded ${others.length + 1} files.` }
  }

  /** The same as `upload`. */
  async uploadNewCodeSnip(
    ...given: readonly [options: UploadNewCodeSnipOptions] | UploadArguments
  ): Promise<SubmitExecutionResultResponse> {
    return this.upload(...given)
  }

  /** The same as `upload`. */
  async uploadNewCodeSnips(
    ...given: readonly [options: UploadNewCodeSnipOptions] | UploadArguments
  ): Promise<SubmitExecutionResultResponse> {
    return this.upload(...given)
  }

  /** The same as `upload`. */
  async submitExecutionResult(
    ...given: readonly [options: UploadNewCodeSnipOptions] | UploadArguments
  ): Promise<SubmitExecutionResultResponse> {
    return this.upload(...given)
  }

  /** Stores the files of a session: an object, or the arguments in a row. */
  async uploadBulkCodeSnips(
    ...given: readonly [options: UploadBulkCodeSnipsOptions] | BulkArguments
  ): Promise<BulkExecutionResultResponse> {
    return this.cairn.uploadBulkCodeSnips(bulkOf(given))
  }

  /** Deletes a snippet by its id or name. */
  async delete(
    snippetId: string,
    options: { readonly workspaceId?: string | undefined } = {}
  ): Promise<DeleteResponse> {
    return this.cairn.delete(snippetId, { workspaceId: options.workspaceId || undefined })
  }

  /** Says whether a snippet helped. */
  async voteCodeSnip(params: VoteCodeSnipParams): Promise<VoteCodeSnipResponse> {
    return this.cairn.voteCodeSnip(params)
  }

  /** Comments on a snippet. */
  async commentOnCodeSnip(params: CommentParams): Promise<CommentResponse> {
    return this.cairn._send(() => comment(params))
  }

  /** Lets the agent work in the workspace of (`org`, `user`). */
  async chat(query: string, params: ChatParams): Promise<ChatResponse> {
    return this.cairn.chat(query, params)
  }

  /** A search whose matches have the older shape. */
  async getCodeSnips({ task, topK = 10, minVerdictScore = 0 }: RetrieveParams): Promise<RetrieveCodeBlockResponse> {
    return codeSnipsOf(await this.cairn.search({ task, topK, minVerdictScore }))
  }

  /** The same as `getCodeSnips`. */
  async retrieve(params: RetrieveParams): Promise<RetrieveCodeBlockResponse> {
    return this.getCodeSnips(params)
  }

  /** A search's best match, and the next three. */
  async retrieveBest({ task, topK = 10, minVerdictScore = 0 }: RetrieveParams): Promise<RetrieveBestResponse> {
    return bestOf(await this.cairn.search({ task, topK, minVerdictScore }))
  }

  /** A search whose matches are files, with the text for a model's prompt; written only with `cacheDir`. */
  async getCodeFiles(params: GetCodeFilesParams): Promise<GetCodeFilesResponse> {
    return this.cairn.getCodeFiles(params)
  }

  /** Stores a snippet whose name, language and entrypoint are known. */
  async storeCodeBlock(params: StoreCodeBlockParams): Promise<StoreCodeBlockResponse> {
    return this.cairn._send(() => storeCodeBlock(params))
  }

  /** Records a run. */
  async storeExecution(params: StoreExecutionParams, options?: RequestOptions): Promise<StoreExecutionResponse> {
    return this.cairn._send(() => storeExecution(params), options)
  }

  /** Examples for a task: code with an input and an output of its last run. */
  async getFewShotExamples(task: string, k: number = 3): Promise<ReadonlyArray<FewShotExample>> {
    return (await this.cairn._send(() => fewShotExamples(task, k))).examples
  }

  /** Which snippet helped with which task. */
  async getTaskPatterns(params: GetTaskPatternsParams = {}): Promise<ReadonlyArray<TaskPattern>> {
    return (await this.cairn._send(() => taskPatterns(params))).patterns
  }

  /** Recorded runs, by snippet, task or verdict. */
  async getExecutions(params: GetExecutionsParams = {}): Promise<RetrieveExecutionsResponse> {
    return this.cairn._send(() => executions(params))
  }

  /** Searches what uploads and runs printed. */
  async searchLogs(params: SearchLogsParams): Promise<SearchLogsResponse> {
    return this.cairn._send(() => searchLogs(params))
  }

  /** Lets the service's model review a recorded run. */
  async autoReview(params: AutoReviewParams): Promise<AutoReviewResponse> {
    return this.cairn._send(() => autoReview(params))
  }

  /** Pages through the public snippets. Needs no key. */
  async browsePublic(params: BrowsePublicParams = {}): Promise<BrowsePublicResponse> {
    return this.cairn._send(() => browsePublic(params))
  }

  /** Searches the public snippets. Needs no key. */
  async searchPublic(params: SearchPublicParams): Promise<SearchPublicResponse> {
    return this.cairn._send(() => searchPublic(params))
  }

  /**
   * Stores functions of `agentAccessible` as snippets, and records their runs from then on. Gives the snippets' names.
   */
  async publishFunctionRegistry(
    functions: ReadonlyArray<AgentAccessibleFunction<AgentCallable>>
  ): Promise<ReadonlyArray<string>> {
    return publishFunctionRegistry(this, functions)
  }
}
