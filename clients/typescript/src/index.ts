/**
 * The client: {@link Cairn} has all operations, with {@link CairnOptions} to begin with and {@link RequestOptions} for
 * one call. What a call can fail with is a {@link ServiceError}; what all results have beside their fields is {@link
 * Result}.
 *
 * @module cairn-client
 */
export { APIPromise, type WithResponse } from "./APIPromise.ts"
export { Cairn, Cairn as default } from "./Cairn.ts"
export type { Clock } from "./clock.ts"
export type { CodeFile } from "./codeFiles/CodeFile.ts"
export type { GetCodeFilesParams, GetCodeFilesResponse } from "./codeFiles/getCodeFiles.ts"
export { AgentVerdict, ExecutionState, type SnipsDesired, type VoteSource } from "./enumerations.ts"
export {
  APIError,
  AuthenticationError,
  CacheUnavailableError,
  ConflictError,
  type ErrorDetails,
  type FieldError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServiceError,
  ValidationError
} from "./errors.ts"
export type { EventStream, EventStreamParams } from "./eventStream/EventStream.ts"
export type { RunStream } from "./eventStream/RunStream.ts"
export type { Logger, LogLevel } from "./log.ts"
export type { CairnOptions, Fetch, HeadersLike, RequestOptions } from "./options.ts"
export type { Result } from "./Result.ts"
export type { Access, KeyRates } from "./resources/access.ts"
export type { Activity, ActivityHour, ActivityParams } from "./resources/activity.ts"
export type { AsOf, AsOfList, AsOfRows, AsOfRowsParams, AsOfTable } from "./resources/asOf.ts"
export type { Backup, BackupParams } from "./resources/backup.ts"
export type { Bounds, BoundsList, SetBoundsParams } from "./resources/bounds.ts"
export type { BulkExecutionResultResponse, BulkUploadParams, LogFile } from "./resources/bulk.ts"
export type { Chat, ChatParams } from "./resources/chat.ts"
export type { ChatResponse } from "./resources/chatResponse.ts"
export type { CodeBlock, Dependencies, JsonObject } from "./resources/codeBlocks.ts"
export type { Comment, CommentList, CommentResponse, DeleteCommentResponse } from "./resources/comments.ts"
export type { Commit, CommitAuthor, FileChange } from "./resources/commits.ts"
export type {
  AuditedEvent,
  EventActor,
  EventPage,
  Events,
  EventsParams,
  NewestEvents,
  NewestEventsParams,
  RecordedEvent
} from "./resources/events.ts"
export type {
  ExecutionIO,
  ExecutionRecord,
  Executions,
  GetExecutionsParams,
  RetrieveExecutionsResponse,
  StoreExecutionParams,
  StoreExecutionResponse
} from "./resources/executions.ts"
export type {
  ExplainedPlace,
  ExplainedWord,
  Explanation,
  LearnedEffect,
  LearnedTask,
  LengthEffect,
  NearestPiece,
  ScoreEffect
} from "./resources/explanation.ts"
export type { FunctionReputation, Functions } from "./resources/functions.ts"
export type { CreatedKey, KeyLimits, KeyList, LimitedKey, ListedKey, RevokedKey, Role } from "./resources/keyAnswers.ts"
export type { CreateKeyParams, KeyLimitParams, Keys } from "./resources/keys.ts"
export type { LogMatch, Logs, SearchLogsParams, SearchLogsResponse } from "./resources/logs.ts"
export type { ChatModel, ModelList, ModelPrices } from "./resources/models.ts"
export type {
  BegunErasure,
  ErasedAtOnce,
  ErasedOrganization,
  Erasure,
  LeftOfOrganization,
  Organization,
  OrganizationInfo,
  RenameParams
} from "./resources/organization.ts"
export type {
  FewShotExample,
  FewShotExamples,
  GetTaskPatternsParams,
  Patterns,
  TaskPattern,
  TaskPatterns
} from "./resources/patterns.ts"
export type {
  BrowsePublicParams,
  BrowsePublicResponse,
  PublicSnippet,
  SearchPublicParams,
  SearchPublicResponse
} from "./resources/publicSnippets.ts"
export type { Replay, ReplayList, ReplayParams, TableDifference } from "./resources/replays.ts"
export type { Repo, Repos, StoreRepoResponse, UploadRepoParams } from "./resources/repos.ts"
export type { RequestHistory, RequestMinute } from "./resources/requests.ts"
export type { AgentReview, AutoReviewParams, AutoReviewResponse } from "./resources/reviews.ts"
export type {
  CalledTool,
  CancelResponse,
  ListedRun,
  Run,
  RunList,
  RunUsage,
  StartedRun
} from "./resources/run.ts"
export type {
  RunAnswered,
  RunCancelling,
  RunCompacted,
  RunEvent,
  RunRemembered,
  RunRequested,
  RunResumed,
  RunStarted,
  RunText,
  RunTools,
  RunTurn,
  ToolCall,
  ToolResult
} from "./resources/runEvents.ts"
export type { Runs } from "./resources/runs.ts"
export type { MendedWord, SearchMatch, SearchParams, SearchResponse } from "./resources/search.ts"
export type { SignInKey } from "./resources/signIn.ts"
export type { Retrieval, RetrievalList, SnippetFunctions } from "./resources/snippetFacts.ts"
export type { Snippets } from "./resources/snippetStore.ts"
export type { DeleteResponse, VoteCodeSnipParams, VoteCodeSnipResponse } from "./resources/snippets.ts"
export type {
  ChatStatus,
  DiskStatus,
  ModelStatus,
  ReactionStatus,
  ReadModelStatus,
  SearchStatus,
  ServiceStatus
} from "./resources/status.ts"
export type { StoreCodeBlockParams, StoreCodeBlockResponse } from "./resources/storeCodeBlock.ts"
export type { Health, LeftOut, Readiness, System } from "./resources/system.ts"
export type {
  OfferedTool,
  TakenTurn,
  Told,
  ToldExchange,
  ToldTurn,
  TurnCompacted,
  TurnList,
  TurnRemembered
} from "./resources/turns.ts"
export type {
  CachedCodeBlock,
  FileWritten,
  SubmitExecutionResultResponse,
  UploadParams,
  Voting
} from "./resources/upload.ts"
export type { GradingStatus, GradingVote, Uploads } from "./resources/uploads.ts"
export type {
  SpentBound,
  StorageBound,
  StoredUsage,
  UsageEntry,
  UsageParams,
  UsageReport,
  UsageTotal
} from "./resources/usage.ts"
export type { ChangedRole, ErasedUser, EraseUserResponse, ListedUser, UserList, Users } from "./resources/users.ts"
export type {
  CommitList,
  CommitWithDiff,
  Comparison,
  DeleteFileResponse,
  DeleteWorkspaceResponse,
  ErasedWorkspace,
  OpenWorkspaceResponse,
  PutFileResponse,
  RestoreResponse,
  Tree,
  TreeFile,
  UnpackResponse,
  Workspace,
  WorkspaceActor,
  WorkspaceList
} from "./resources/workspaceAnswers.ts"
export type { PlaceParams, Workspaces } from "./resources/workspaces.ts"
export { VERSION } from "./version.ts"
