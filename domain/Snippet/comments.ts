import { Data, HashMap, Option, Result } from "effect"
import type { SnippetCommand } from "./commands.ts"
import { SnippetEvent, subjectOf } from "./events.ts"

const Event = SnippetEvent.cases

/** There is no such comment on the snippet, or not any more. */
export class CommentNotFound extends Data.TaggedError("CommentNotFound")<{ readonly comment: string }> {}
/** Only a comment's author and those who own the snippet may delete it. */
export class CommentNotYours extends Data.TaggedError("CommentNotYours")<{ readonly comment: string }> {}
/** The snippet has as many comments as it may have, which is `limit`. */
export class CommentLimitReached extends Data.TaggedError("CommentLimitReached")<{ readonly limit: number }> {}
export type CommentRefusal = CommentNotFound | CommentNotYours | CommentLimitReached

/** The most comments that a snippet may have. */
const mostComments = 1_000

/** A comment that is not deleted. */
export interface LiveComment {
  readonly author: string | null
  /** Whether its text has a subject of its own. */
  readonly apart: boolean
}
type Comments = HashMap.HashMap<string, LiveComment>
type Decision = Result.Result<Array<SnippetEvent>, CommentRefusal>

/** The subject of a comment's own words, which can be erased without the snippet's. */
export const commentSubject = (snippet: string, comment: string) => `${subjectOf(snippet)}/comment/${comment}`

/** What a new comment leads to, on a snippet that has `comments`. */
export const addComment = (
  { snippet, comment, author, home, agent, words }: Data.TaggedEnum.Value<SnippetCommand, "AddComment">,
  comments: Comments
): Decision =>
  HashMap.size(comments) >= mostComments
    ? Result.fail(new CommentLimitReached({ limit: mostComments }))
    : Result.succeed([
        Event.CommentAdded.make({
          snippet,
          comment,
          author,
          home,
          subject: commentSubject(snippet, comment),
          text: { words, agent }
        })
      ])

/** What the deletion of a comment leads to. */
export const deleteComment = (
  { snippet, comment, by, owns }: Data.TaggedEnum.Value<SnippetCommand, "DeleteComment">,
  comments: Comments
): Decision => {
  const live = Option.getOrUndefined(HashMap.get(comments, comment))
  if (live === undefined) return Result.fail(new CommentNotFound({ comment }))
  if (!owns && live.author !== by) return Result.fail(new CommentNotYours({ comment }))
  return Result.succeed([Event.CommentDeleted.make({ snippet, comment, subject: commentSubject(snippet, comment) })])
}
