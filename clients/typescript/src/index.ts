/** The public names of `cairn-client`. */
export { APIPromise, type WithResponse } from "./APIPromise.ts"
export { Cairn, Cairn as default } from "./Cairn.ts"
export type { Clock } from "./clock.ts"
export type { CodeFile, GetCodeFilesParams, GetCodeFilesResponse } from "./codeFiles/getCodeFiles.ts"
export { AgentVerdict, ExecutionState, type SnipsDesired, type VoteSource } from "./enumerations.ts"
export {
  APIError,
  AuthenticationError,
  CacheUnavailableError,
  type ErrorDetails,
  RateLimitError,
  ServiceError,
  ValidationError
} from "./errors.ts"
export type { Logger, LogLevel } from "./log.ts"
export type { CairnOptions, Fetch, RequestOptions } from "./options.ts"
export type { Result } from "./Result.ts"
export type { BulkExecutionResultResponse, BulkUploadParams, LogFile } from "./resources/bulk.ts"
export type { ChatParams, ChatResponse } from "./resources/chat.ts"
export type { CodeBlock, Dependencies, JsonObject } from "./resources/codeBlocks.ts"
export type { Comment } from "./resources/comments.ts"
export type { Commit } from "./resources/commits.ts"
export type { EventPage, Events, EventsParams, RecordedEvent } from "./resources/events.ts"
export type { FunctionReputation } from "./resources/functions.ts"
export type { CreatedKey, CreateKeyParams, KeyList, Keys, ListedKey, RevokedKey } from "./resources/keys.ts"
export type { SearchMatch, SearchParams, SearchResponse } from "./resources/search.ts"
export type { DeleteResponse, VoteCodeSnipParams, VoteCodeSnipResponse } from "./resources/snippets.ts"
export type {
  CachedCodeBlock,
  FileWritten,
  SubmitExecutionResultResponse,
  UploadParams,
  Voting
} from "./resources/upload.ts"
export type { GradingStatus, GradingVote, Uploads } from "./resources/uploads.ts"
export type {
  CommitList,
  CommitWithDiff,
  RestoreResponse,
  Tree,
  TreeFile,
  Workspace,
  WorkspaceList,
  Workspaces
} from "./resources/workspaces.ts"
export { VERSION } from "./version.ts"
