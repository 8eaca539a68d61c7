import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { foldersAmong } from "#domain/Repository/files.ts"
import { pathProblem } from "#domain/workspacePath.ts"
import { body } from "./body.ts"
import { AnyText, Dependencies, FileContent, optional, Task, Text, textUpTo } from "./fields.ts"
import { manyFiles, reads } from "./limits.ts"
import { Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"
import { Tags } from "./Snippets/upload.ts"

const mostFiles = 200
/** The most bytes of all files together. */
const mostBytes = 16 * 1024 * 1024

const RepoFile = Schema.Struct({
  path: textUpTo(4_096).check(Schema.makeFilter((path) => pathProblem(path))),
  content: FileContent
}).annotate({ identifier: "RepoFile" })

export const StoreRepoRequest = Schema.Struct({
  task: Task,
  files: optional(
    Schema.Array(RepoFile).check(
      Schema.isMaxLength(mostFiles, { message: `has too many files; expected 1 to ${mostFiles}` })
    )
  ),
  github_url: optional(AnyText.check(Schema.isMaxLength(4_096))),
  name: optional(textUpTo(1_000)),
  description: optional(Text),
  dependencies: optional(Dependencies),
  tags: optional(Tags),
  public: optional(Schema.Boolean)
})
  .check(
    // checks that need several fields
    Schema.makeFilter(({ files, github_url }) => {
      const given = files ?? []
      if (given.length === 0) {
        return github_url == null || github_url === ""
          ? { path: ["files"], issue: `has no file; expected 1 to ${mostFiles}, as {path, content}` }
          : {
              path: ["github_url"],
              issue:
                "is not fetched: this service reads nothing from elsewhere; clone it and send its text files in files, as {path, content}"
            }
      }
      const paths = given.map(({ path }) => path)
      const seen = new Map<string, number>()
      const again = paths.flatMap((path, index) => {
        const first = seen.get(path)
        if (first === undefined) seen.set(path, index)
        const issue = `is the path of files.${first} too; expected each file once`
        return first === undefined ? [] : [{ path: ["files", index, "path"], issue }]
      })
      const folders = foldersAmong(paths)
      const both = paths.flatMap((path, index) =>
        folders.has(path)
          ? [{ path: ["files", index, "path"], issue: "is a folder of another file too; expected a file or a folder" }]
          : []
      )
      const bytes = given.reduce((total, { content }) => total + Buffer.byteLength(content), 0)
      const size =
        bytes > mostBytes
          ? [{ path: ["files"], issue: "are too large; expected at most 16 MiB (16,777,216 bytes) together" }]
          : []
      return [...again, ...both, ...size]
    })
  )
  .annotate({ identifier: "StoreRepoRequest" })
export type StoreRepoRequest = typeof StoreRepoRequest.Type

/** Routes of repositories that are stored as one snippet. */
export class ReposApi extends HttpApiGroup.make("repos")
  .add(
    HttpApiEndpoint.post("storeRepo", "/api/store/repo", {
      payload: body(StoreRepoRequest),
      success: Schema.Struct({ success: Schema.Boolean, repo_id: Schema.String, message: Schema.String }).annotate({
        identifier: "StoreRepoResponse"
      })
    })
      .middleware(Idempotency)
      .annotateMerge(reads(manyFiles))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Store several files that belong together as one snippet",
          description:
            "At most 200 text files, 1 MiB each and 16 MiB together, with paths relative to the repository's root. The repository is found like any snippet, by its task, readme, paths and code; `source` is its readme and the list of its files. Name, description and framework are taken from its manifests. The same files stored again in the same scope are the same snippet."
        })
      ),
    HttpApiEndpoint.get("repo", "/api/store/repo/:id", {
      params: { id: Schema.String },
      success: Schema.Struct({
        repo_id: Schema.String,
        name: Schema.String,
        files: Schema.Array(Schema.Struct({ path: Schema.String, content: Schema.String }))
      }).annotate({ identifier: "Repo" })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "All files of a repository",
        description: "A match's `download_url` leads here. Whoever finds the repository may read it."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Repositories", description: "Snippets of several files." })) {}
