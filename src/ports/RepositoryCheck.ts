import { Context, type Effect } from "effect"

/** What git itself says of a workspace's repository, where it is installed. */
export class RepositoryCheck extends Context.Service<
  RepositoryCheck,
  {
    /** What is wrong, a line each; `undefined` when there is no git to ask. A repository that is not there is fine. */
    readonly check: (repository: string) => Effect.Effect<ReadonlyArray<string> | undefined>
  }
>()("cairn/RepositoryCheck") {}
