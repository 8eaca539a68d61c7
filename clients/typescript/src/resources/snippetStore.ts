import type { APIPromise } from "../APIPromise.ts"
import type { RequestOptions } from "../options.ts"
import { text as markdown, part } from "../request.ts"
import type { Transport } from "../transport.ts"
import { type CommentResponse, comment, type DeleteCommentResponse, deleteComment } from "./comments.ts"
import {
  type BrowsePublicParams,
  type BrowsePublicResponse,
  browsePublic,
  type SearchPublicParams,
  type SearchPublicResponse,
  searchPublic
} from "./publicSnippets.ts"
import { type StoreCodeBlockParams, type StoreCodeBlockResponse, storeCodeBlock } from "./storeCodeBlock.ts"

/** What else can be done with snippets than to search, upload, delete and vote, which the client itself does. */
export class Snippets {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
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
   * @throws {@link APIError}: 404 `not_found/snippet`.
   */
  comment(codeBlockId: string, text: string, options?: RequestOptions): APIPromise<CommentResponse> {
    return this.#transport.send(() => comment({ codeBlockId, text }), options)
  }

  /**
   * Deletes a comment, and its text for good: for its author, and for whoever may delete the snippet it is on.
   * @param commentId The comment's id, as it was answered and as search results have it.
   * @throws {@link APIError}: 404 `not_found/comment`, 403 `permission/not_your_comment`.
   */
  deleteComment(commentId: string, options?: RequestOptions): APIPromise<DeleteCommentResponse> {
    return this.#transport.send(() => deleteComment(commentId), options)
  }

  /**
   * A snippet with its tasks, votes, source and latest logs, as Markdown; a public one of others without tasks and
   * logs.
   * @throws {@link APIError}: 404 `not_found/snippet`.
   */
  markdown(codeBlockId: string, options?: RequestOptions): APIPromise<string> {
    const path = () => `/raw/${part("codeBlockId", codeBlockId)}.md`
    return this.#transport.send(() => ({ method: "GET", path: path(), answer: markdown }), options)
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
