import type { APIPromise } from "../APIPromise.ts"
import { type GetCodeFilesParams, type GetCodeFilesResponse, getCodeFiles } from "../codeFiles/getCodeFiles.ts"
import type { Logger } from "../log.ts"
import type { RequestOptions } from "../options.ts"
import { text as markdown, part } from "../request.ts"
import type { Transport } from "../transport.ts"
import { type BulkExecutionResultResponse, type BulkUploadParams, bulkUpload } from "./bulk.ts"
import {
  type CommentList,
  type CommentResponse,
  comment,
  commentsOn,
  type DeleteCommentResponse,
  deleteComment
} from "./comments.ts"
import {
  type BrowsePublicParams,
  type BrowsePublicResponse,
  browsePublic,
  type SearchPublicParams,
  type SearchPublicResponse,
  searchPublic
} from "./publicSnippets.ts"
import { type SearchParams, type SearchResponse, search } from "./search.ts"
import { functionsOf, type RetrievalList, retrievalsOf, type SnippetFunctions } from "./snippetFacts.ts"
import {
  type DeleteResponse,
  deleteSnippet,
  type VoteCodeSnipParams,
  type VoteCodeSnipResponse,
  vote
} from "./snippets.ts"
import { type StoreCodeBlockParams, type StoreCodeBlockResponse, storeCodeBlock } from "./storeCodeBlock.ts"
import { type SubmitExecutionResultResponse, type UploadParams, upload } from "./upload.ts"

/** What can be done with snippets. The client itself has the commonest of it, too. */
export class Snippets {
  readonly #transport: Transport
  readonly #log: Logger

  /** @internal */
  constructor(transport: Transport, log: Logger) {
    this.#transport = transport
    this.#log = log
  }

  /** Finds snippets for a task, the best first. */
  search(params: SearchParams, options?: RequestOptions): APIPromise<SearchResponse> {
    return this.#transport.send(() => search(params), options)
  }

  /**
   * A search whose matches are files for a model: with the text for its prompt, and written to `cacheDir` when that is
   * given and the call is waited for, never anywhere else. Prefers complete code.
   * @throws {@link ValidationError}: `cacheDir` is a link or a file. Any other failure to write is the file system's
   *   own error.
   */
  getCodeFiles(params: GetCodeFilesParams, options?: RequestOptions): APIPromise<GetCodeFilesResponse> {
    return getCodeFiles(this.#transport, this.#log, params, options)
  }

  /**
   * Stores a file that a task produced, votes on it or has it graded. The same code again is the same snippet.
   * @throws {@link ValidationError}: `validation/secret_found`: `public`, and it holds a secret.
   */
  upload(params: UploadParams, options?: RequestOptions): APIPromise<SubmitExecutionResultResponse> {
    return this.#transport.send(() => upload(params), options)
  }

  /** Stores 1 to 200 files of a session, with its prompts and logs for the grading: all of them or none. */
  uploadBulk(params: BulkUploadParams, options?: RequestOptions): APIPromise<BulkExecutionResultResponse> {
    return this.#transport.send(() => bulkUpload(params), options)
  }

  /**
   * Says whether a snippet helped.
   * @throws {@link NotFoundError}: `not_found/snippet`.
   */
  vote(params: VoteCodeSnipParams, options?: RequestOptions): APIPromise<VoteCodeSnipResponse> {
    return this.#transport.send(() => vote(params), options)
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
    return this.#transport.send(() => deleteSnippet(snippetId, options?.workspaceId), options)
  }

  /**
   * Stores a snippet whose name, language and entrypoint are known, and don't have to be found as `upload` does. The
   * same code again in the same scope is the same snippet, as it was described at first. Nothing is graded.
   */
  create(params: StoreCodeBlockParams, options?: RequestOptions): APIPromise<StoreCodeBlockResponse> {
    return this.#transport.send(() => storeCodeBlock(params), options)
  }

  /**
   * Comments on a snippet. Whoever sees it sees its latest 20 comments in search results; those of other organizations
   * only with `publicSnips`, and as `external`.
   * @param codeBlockId A snippet's id or name.
   * @param text 1 to 10,000 characters.
   * @throws {@link NotFoundError}: `not_found/snippet`.
   */
  comment(codeBlockId: string, text: string, options?: RequestOptions): APIPromise<CommentResponse> {
    return this.#transport.send(() => comment({ codeBlockId, text }), options)
  }

  /**
   * The comments on a snippet, the latest first: all of those that search results show the latest 20 of.
   * @param codeBlockId A snippet's id.
   * @param page `limit`: 1 to 100, default 20; `cursor`: the `nextCursor` of an answer, to go on behind it.
   * @throws {@link NotFoundError}: `not_found/snippet`.
   */
  comments(
    codeBlockId: string,
    page: { readonly limit?: number | undefined; readonly cursor?: string | undefined } = {},
    options?: RequestOptions
  ): APIPromise<CommentList> {
    return this.#transport.send(() => commentsOn(codeBlockId, page), options)
  }

  /**
   * Deletes a comment, and its text for good: for its author, and for whoever may delete the snippet it is on.
   * @param commentId The comment's id, as it was answered and as search results have it.
   * @throws {@link NotFoundError}: `not_found/comment`.
   * @throws {@link PermissionDeniedError}: `permission/not_your_comment`.
   */
  deleteComment(commentId: string, options?: RequestOptions): APIPromise<DeleteCommentResponse> {
    return this.#transport.send(() => deleteComment(commentId), options)
  }

  /**
   * A snippet with its tasks, votes, source and latest logs, as Markdown; a public one of others without tasks and
   * logs.
   * @throws {@link NotFoundError}: `not_found/snippet`.
   */
  markdown(codeBlockId: string, options?: RequestOptions): APIPromise<string> {
    const path = () => `/raw/${part("codeBlockId", codeBlockId)}.md`
    return this.#transport.send(() => ({ method: "GET", path: path(), answer: markdown }), options)
  }

  /**
   * The functions of a snippet, with their votes, calls and errors: what a search with `perFunctionReputation` tells.
   * @throws {@link NotFoundError}: `not_found/snippet`.
   */
  functions(codeBlockId: string, options?: RequestOptions): APIPromise<SnippetFunctions> {
    return this.#transport.send(() => functionsOf(codeBlockId), options)
  }

  /**
   * Your organization's searches that found a snippet, the latest first. For owners and admins.
   * @param page `limit`: 1 to 100, default 20; `cursor`: the `nextCursor` of an answer, to go on behind it.
   * @throws {@link NotFoundError}: `not_found/snippet`.
   */
  retrievals(
    codeBlockId: string,
    page: { readonly limit?: number | undefined; readonly cursor?: string | undefined } = {},
    options?: RequestOptions
  ): APIPromise<RetrievalList> {
    return this.#transport.send(() => retrievalsOf(codeBlockId, page), options)
  }

  /** Pages through the public snippets of everybody. Needs no API key. */
  listPublic(params: BrowsePublicParams = {}, options?: RequestOptions): APIPromise<BrowsePublicResponse> {
    return this.#transport.send(() => browsePublic(params), options)
  }

  /** Searches the public snippets of everybody. Needs no API key. */
  searchPublic(params: SearchPublicParams, options?: RequestOptions): APIPromise<SearchPublicResponse> {
    return this.#transport.send(() => searchPublic(params), options)
  }
}
