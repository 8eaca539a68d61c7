/**
 * The public names of the client that existing programs use, for a Cairn service: change the import to
 * `cairn-client/compat`. {@link RaySurfer} is the low-level client, {@link RaysurferClient} that of agent sessions.
 *
 * @module cairn-client/compat
 */
export type { CodeFile } from "../codeFiles/CodeFile.ts"
export type { GetCodeFilesParams, GetCodeFilesResponse } from "../codeFiles/getCodeFiles.ts"
export { AgentVerdict, ExecutionState, type SnipsDesired } from "../enumerations.ts"
export {
  APIError,
  AuthenticationError,
  CacheUnavailableError,
  RateLimitError,
  ServiceError as RaySurferError,
  ValidationError
} from "../errors.ts"
export type { BulkExecutionResultResponse, LogFile } from "../resources/bulk.ts"
export type { ChatParams } from "../resources/chat.ts"
export type { ChatResponse } from "../resources/chatResponse.ts"
export type { CodeBlock, Dependencies, JsonObject } from "../resources/codeBlocks.ts"
export type { Comment, CommentParams, CommentResponse } from "../resources/comments.ts"
export type {
  ExecutionIO,
  ExecutionRecord,
  GetExecutionsParams,
  RetrieveExecutionsResponse,
  StoreExecutionParams,
  StoreExecutionResponse
} from "../resources/executions.ts"
export type { FunctionReputation } from "../resources/functions.ts"
export type { LogMatch, SearchLogsParams, SearchLogsResponse } from "../resources/logs.ts"
export type { FewShotExample, GetTaskPatternsParams, TaskPattern } from "../resources/patterns.ts"
export type {
  BrowsePublicParams,
  BrowsePublicResponse,
  PublicSnippet,
  SearchPublicParams,
  SearchPublicResponse
} from "../resources/publicSnippets.ts"
export type { AgentReview, AutoReviewParams, AutoReviewResponse } from "../resources/reviews.ts"
export type { SearchMatch, SearchParams, SearchResponse } from "../resources/search.ts"
export type { DeleteResponse, VoteCodeSnipParams, VoteCodeSnipResponse } from "../resources/snippets.ts"
export type { StoreCodeBlockParams, StoreCodeBlockResponse } from "../resources/storeCodeBlock.ts"
export type { CachedCodeBlock, FileWritten, SubmitExecutionResultResponse } from "../resources/upload.ts"
export { VERSION } from "../version.ts"
export {
  type AgentAccessibleFunction,
  type AgentAccessibleOptions,
  type AgentAccessibleSchema,
  type AgentCallable,
  agentAccessible,
  publishFunctionRegistry,
  setTrackingClient,
  type TrackingClient,
  toAnthropicTool
} from "./accessible.ts"
export { RaySurfer, RaySurfer as default, RaySurfer as RaySurferDefault, type RaySurferOptions } from "./RaySurfer.ts"
export type {
  AlternativeCandidate,
  BestMatch,
  CodeBlockMatch,
  RetrieveBestResponse,
  RetrieveCodeBlockResponse,
  RetrieveParams
} from "./retrieval.ts"
export {
  Agent,
  type AgentOptions,
  type AgentRunMessage,
  type AgentRunResult,
  type CodeUsed,
  query,
  query as queryDefault,
  type RaysurferAgentOptions,
  type RaysurferAgentOptions as QueryOptions,
  type RaysurferAgentOptions as RaysurferQueryOptions,
  RaysurferClient,
  RaysurferClient as ClaudeSDKClient,
  RaysurferClient as RaysurferOpencodeClient
} from "./session.ts"
export { getTelemetryJson, log, raysurferLogging, resetTelemetry } from "./telemetry.ts"
export type {
  BulkExecutionResultRequest,
  JsonValue,
  QueryParams,
  RaysurferExtras,
  SubmitExecutionResultRequest
} from "./types.ts"
export type {
  BulkArguments,
  UploadArguments,
  UploadBulkCodeSnipsOptions,
  UploadNewCodeSnipOptions,
  UploadNewCodeSnipOptions as UploadOptions
} from "./uploads.ts"
