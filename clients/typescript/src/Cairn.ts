import type { APIPromise } from "./APIPromise.ts"
import type { GetCodeFilesParams, GetCodeFilesResponse } from "./codeFiles/getCodeFiles.ts"
import type { EventStream, EventStreamParams } from "./eventStream/EventStream.ts"
import { RunStream } from "./eventStream/RunStream.ts"
import { type CairnOptions, type RequestOptions, type Settings, settingsOf } from "./options.ts"
import type { Call } from "./request.ts"
import type { Bounds, BoundsList, SetBoundsParams } from "./resources/bounds.ts"
import type { BulkExecutionResultResponse, BulkUploadParams } from "./resources/bulk.ts"
import { asking, type Chat, type ChatParams } from "./resources/chat.ts"
import type { ChatResponse } from "./resources/chatResponse.ts"
import type { Events, EventsParams } from "./resources/events.ts"
import { Executions } from "./resources/executions.ts"
import { Functions } from "./resources/functions.ts"
import { Keys } from "./resources/keys.ts"
import { Logs } from "./resources/logs.ts"
import type { ModelList } from "./resources/models.ts"
import { Organization } from "./resources/organization.ts"
import { Patterns } from "./resources/patterns.ts"
import { Repos } from "./resources/repos.ts"
import { Runs } from "./resources/runs.ts"
import type { SearchParams, SearchResponse } from "./resources/search.ts"
import { Snippets } from "./resources/snippetStore.ts"
import type { DeleteResponse, VoteCodeSnipParams, VoteCodeSnipResponse } from "./resources/snippets.ts"
import { type Health, type Readiness, System } from "./resources/system.ts"
import type { SubmitExecutionResultResponse, UploadParams } from "./resources/upload.ts"
import { Uploads } from "./resources/uploads.ts"
import type { UsageParams, UsageReport } from "./resources/usage.ts"
import { Users } from "./resources/users.ts"
import { Workspaces } from "./resources/workspaces.ts"
import { Transport } from "./transport.ts"

/**
 * A client of a Cairn service. Safe to share; holds no connection that would have to be closed.
 *
 * ```ts
 * const cairn = new Cairn() // CAIRN_API_KEY and CAIRN_BASE_URL
 * const { matches } = await cairn.search({ task: "parse a CSV file into rows" })
 * ```
 *
 * Every method sends its request at once, and again when that may help (`maxRetries`); a write is carried out once all
 * the same. It fails with a {@link ServiceError}, or with the reason of its own `signal`. Its result comes with the
 * HTTP answer from `.withResponse()`.
 */
export class Cairn {
  /** Gives the agent a task: `chat(…)` waits for its end, `chat.stream(…)` tells it as it goes on. */
  readonly chat: Chat
  /** API keys of an organization, for its owners and admins. */
  readonly keys: Keys
  /** The organization that the key is of. */
  readonly organization: Organization
  /** The organization's people, for its owners and admins. */
  readonly users: Users
  /** Chats of agents, and what they saved, as git history. */
  readonly workspaces: Workspaces
  /** Chats, one by one. */
  readonly runs: Runs
  /** What became of uploads. */
  readonly uploads: Uploads
  /** All that can be done with snippets: also comments, pages of them, public ones. */
  readonly snippets: Snippets
  /** Snippets of several files. */
  readonly repos: Repos
  /** Runs of code, and what was said of them. */
  readonly executions: Executions
  /** What the store has learned. */
  readonly patterns: Patterns
  /** What is known of single functions. */
  readonly functions: Functions
  /** What snippets printed when they ran. */
  readonly logs: Logs
  /** The service: how it is, what it has, and what happened in it. */
  readonly system: System
  readonly #options: CairnOptions
  readonly #settings: Settings
  readonly #transport: Transport

  /** @throws {@link ValidationError}: An option is wrong; `field` names it. */
  constructor(options: CairnOptions = {}) {
    this.#options = options
    this.#settings = settingsOf(options)
    this.#transport = new Transport(this.#settings)
    this.chat = Object.assign(
      (query: string, params: ChatParams, options?: RequestOptions): APIPromise<ChatResponse> =>
        this.workspaces.chat(query, params, options),
      {
        stream: (query: string, params: ChatParams, options?: RequestOptions) =>
          new RunStream(this.#settings, () => ({ asking: asking(query, params) }), options)
      }
    )
    this.keys = new Keys(this.#transport)
    this.organization = new Organization(this.#transport)
    this.users = new Users(this.#transport)
    this.workspaces = new Workspaces(this.#transport)
    this.runs = new Runs(this.#transport, this.#settings)
    this.uploads = new Uploads(this.#transport)
    this.snippets = new Snippets(this.#transport, this.#settings.log)
    this.repos = new Repos(this.#transport)
    this.executions = new Executions(this.#transport)
    this.patterns = new Patterns(this.#transport)
    this.functions = new Functions(this.#transport)
    this.logs = new Logs(this.#transport)
    this.system = new System(this.#transport, this.#settings)
  }

  /** A client with other options; what they leave out is as here. */
  withOptions(options: CairnOptions): Cairn {
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
    return new Cairn({ ...this.#options, ...given })
  }

  /** Finds snippets for a task, the best first. */
  search(params: SearchParams, options?: RequestOptions): APIPromise<SearchResponse> {
    return this.snippets.search(params, options)
  }

  /**
   * Stores a file that a task produced, votes on it or has it graded. The same code again is the same snippet.
   * @throws {@link ValidationError}: `validation/secret_found`: `public`, and it holds a secret.
   */
  upload(params: UploadParams, options?: RequestOptions): APIPromise<SubmitExecutionResultResponse> {
    return this.snippets.upload(params, options)
  }

  /**
   * {@link Snippets.uploadBulk}, under the specification's name: stores 1 to 200 files of a session, with its prompts
   * and logs for the grading: all of them or none.
   */
  uploadBulkCodeSnips(params: BulkUploadParams, options?: RequestOptions): APIPromise<BulkExecutionResultResponse> {
    return this.snippets.uploadBulk(params, options)
  }

  /**
   * Deletes a snippet and everything that belongs to it.
   * @param snippetId An id, or a name that only one snippet of the scope has.
   * @param options `workspaceId`: in place of the client's.
   * @throws {@link NotFoundError}: `not_found/snippet`.
   * @throws {@link ConflictError}: `conflict/ambiguous_name`, with the ids.
   * @throws {@link PermissionDeniedError}: `permission/not_your_snippet`.
   */
  delete(
    snippetId: string,
    options?: RequestOptions & { readonly workspaceId?: string | undefined }
  ): APIPromise<DeleteResponse> {
    return this.snippets.delete(snippetId, options)
  }

  /**
   * {@link Snippets.vote}, under the specification's name: says whether a snippet helped.
   * @throws {@link NotFoundError}: `not_found/snippet`.
   */
  voteCodeSnip(params: VoteCodeSnipParams, options?: RequestOptions): APIPromise<VoteCodeSnipResponse> {
    return this.snippets.vote(params, options)
  }

  /**
   * A search whose matches are files for a model: with the text for its prompt, and written to `cacheDir` when that is
   * given and the call is waited for, never anywhere else. Prefers complete code.
   * @throws {@link ValidationError}: `cacheDir` is a link or a file. Any other failure to write is the file system's
   *   own error.
   */
  getCodeFiles(params: GetCodeFilesParams, options?: RequestOptions): APIPromise<GetCodeFilesResponse> {
    return this.snippets.getCodeFiles(params, options)
  }

  /**
   * Everything that happened in the organization, oldest first, up to the log's head; for its owners and admins.
   *
   * ```ts
   * for await (const event of cairn.events({ type: "VoteCast" })) …
   * ```
   */
  events(params: EventsParams = {}, options?: RequestOptions): Events {
    return this.system.events(params, options)
  }

  /**
   * The same events as they come, for as long as they are taken. A connection that is cut is made again behind the last
   * event: none is left out, none comes twice. A `timeout` below 45 s counts as 45 s, since the service is silent for
   * up to 15 s.
   *
   * ```ts
   * for await (const event of cairn.eventStream({ after })) if (event.type === "KeyRevoked") break
   * ```
   */
  eventStream(params: EventStreamParams = {}, options?: RequestOptions): EventStream {
    return this.system.eventStream(params, options)
  }

  /** The models that `chat` may ask for. */
  models(options?: RequestOptions): APIPromise<ModelList> {
    return this.system.models(options)
  }

  /** What chats used: of the whole organization for its owners and admins, else of this client's key. */
  usage(params: UsageParams = {}, options?: RequestOptions): APIPromise<UsageReport> {
    return this.system.usage(params, options)
  }

  /** What the organization and its keys may use; for members, what the organization and this client's key may. */
  bounds(options?: RequestOptions): APIPromise<BoundsList> {
    return this.system.bounds(options)
  }

  /**
   * Sets what the organization, or one of its keys, may use, in place of what was set before. For owners and admins.
   * @throws {@link PermissionDeniedError}: `permission/…`.
   * @throws {@link NotFoundError}: `not_found/api_key`.
   */
  setBounds(params: SetBoundsParams, options?: RequestOptions): APIPromise<Bounds> {
    return this.system.setBounds(params, options)
  }

  /** Whether the service's process answers. Needs no API key. */
  health(options?: RequestOptions): APIPromise<Health> {
    return this.system.health(options)
  }

  /**
   * Whether the service can answer everything: also a service that is still starting gives a result. Needs no API key.
   */
  ready(options?: RequestOptions): APIPromise<Readiness> {
    return this.system.ready(options)
  }

  /** The service described for agents, as Markdown. Needs no API key. */
  skill(options?: RequestOptions): APIPromise<string> {
    return this.system.skill(options)
  }

  /** @internal What has no method here: for the other entries of this package. */
  _send<T>(call: () => Call<T>, options?: RequestOptions): APIPromise<T> {
    return this.#transport.send(call, options)
  }
}
