import { Context, type Effect } from "effect"

/** What git itself says of a workspace's repository, if git is installed. */
export class RepositoryCheck extends Context.Service<
  RepositoryCheck,
  {
    /** What is wrong, one line each; `undefined` if there is no git to ask. A missing repository is fine. */
    readonly check: (repository: string) => Effect.Effect<ReadonlyArray<string> | undefined>
  }
>()("cairn/RepositoryCheck") {}
