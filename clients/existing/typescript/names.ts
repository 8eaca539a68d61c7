/**
 * What the existing TypeScript client exports: values, and types. (The published package has no code to reflect on.)
 */
export const values: ReadonlyArray<string> = [
  ...["APIError", "Agent", "AgentVerdict", "AuthenticationError", "CacheUnavailableError", "ClaudeSDKClient"],
  ...["ExecutionState", "RateLimitError", "RaySurfer", "RaySurferDefault", "RaySurferError", "RaysurferClient"],
  ...["RaysurferOpencodeClient", "VERSION", "ValidationError", "agentAccessible", "publishFunctionRegistry", "query"],
  ...["queryDefault", "setTrackingClient", "toAnthropicTool", "log", "raysurferLogging", "getTelemetryJson"],
  ...["resetTelemetry", "CodegenApp", "ProgrammaticToolCallingSession", "loadConfig"]
]

export const types: ReadonlyArray<string> = [
  ...["AgentAccessibleFunction", "AgentAccessibleSchema", "AgentReview", "AlternativeCandidate", "BestMatch"],
  ...["BrowsePublicParams", "BrowsePublicResponse", "BulkExecutionResultRequest", "BulkExecutionResultResponse"],
  ...["ChatResponse", "CodeBlock", "CodeBlockMatch", "CodeFile", "DeleteResponse", "ExecutionIO", "ExecutionRecord"],
  ...["FewShotExample", "FileWritten", "FunctionReputation", "GetCodeFilesParams", "GetCodeFilesResponse"],
  ...["GetTaskPatternsParams", "JsonValue", "LogFile", "PublicSnippet", "QueryOptions", "QueryParams"],
  ...["RaySurferOptions", "RaysurferAgentOptions", "RaysurferExtras", "RaysurferQueryOptions"],
  ...["RetrieveBestResponse", "RetrieveCodeBlockResponse", "RetrieveExecutionsResponse", "RetrieveParams"],
  ...["SearchMatch", "SearchParams", "SearchPublicParams", "SearchPublicResponse", "SearchResponse"],
  ...["StoreCodeBlockParams", "StoreCodeBlockResponse", "StoreExecutionParams", "StoreExecutionResponse"],
  ...["SubmitExecutionResultRequest", "SubmitExecutionResultResponse", "TaskPattern", "UploadBulkCodeSnipsOptions"],
  ...["UploadNewCodeSnipOptions", "UploadOptions", "VoteCodeSnipParams", "VoteCodeSnipResponse"],
  ...["AgentAccessRules", "CodegenAppOptions", "CodegenRunGeneratedCodeOptions", "CodegenRunOptions"],
  ...["ExecuteOptions", "ExecuteResult", "ModuleFunctionMap", "ProgrammaticMaterializeContext"],
  ...["ProgrammaticPrepareTurnOptions", "ProgrammaticToolCallingSessionOptions", "ProgrammaticUploadOptions"],
  ...["RaysurferConfig", "SandboxCodegenOptions", "ToolCallRecord", "ToolCallback", "ToolDefinition"]
]

/** Methods of the low-level client, with arguments that they take. */
export const methods: ReadonlyArray<string> = [
  ...["autoReview", "browsePublic", "chat", "commentOnCodeSnip", "delete", "getCodeFiles", "getCodeSnips"],
  ...["getExecutions", "getFewShotExamples", "getTaskPatterns", "publishFunctionRegistry", "retrieve", "retrieveBest"],
  ...["search", "searchLogs", "searchPublic", "storeCodeBlock", "storeExecution", "submitExecutionResult", "upload"],
  ...["uploadBulkCodeSnips", "uploadNewCodeSnip", "uploadNewCodeSnips", "voteCodeSnip"],
  ...["execute", "executeGeneratedCode", "executeWithSandboxCodegen", "sharedCode", "tool"]
]

const callsBack = "the service does not run code that calls back into its client"
const rules = "in no document of the package; agentAccessible says the same at the function"
const turns = "in no document of the package; agent sessions and getCodeFiles with a cacheDir do this"

/** What `cairn-client/compat` leaves out, and why. Anything else is there, or a test fails. */
export const leftOut: { readonly [name: string]: string } = {
  CodegenApp: callsBack,
  CodegenAppOptions: callsBack,
  CodegenRunGeneratedCodeOptions: callsBack,
  CodegenRunOptions: callsBack,
  ExecuteOptions: callsBack,
  ExecuteResult: callsBack,
  SandboxCodegenOptions: callsBack,
  ToolCallRecord: callsBack,
  ToolCallback: callsBack,
  ToolDefinition: callsBack,
  execute: callsBack,
  executeGeneratedCode: callsBack,
  executeWithSandboxCodegen: callsBack,
  tool: callsBack,
  sharedCode: "the service does not generate shared code",
  AgentAccessRules: rules,
  ModuleFunctionMap: rules,
  RaysurferConfig: rules,
  loadConfig: rules,
  ProgrammaticMaterializeContext: turns,
  ProgrammaticPrepareTurnOptions: turns,
  ProgrammaticToolCallingSession: turns,
  ProgrammaticToolCallingSessionOptions: turns,
  ProgrammaticUploadOptions: turns
}
