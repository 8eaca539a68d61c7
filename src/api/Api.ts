import { HttpApi, OpenApi } from "effect/http-api"
import { AccessApi } from "./Access.ts"
import { ActivityApi } from "./Activity.ts"
import { AsOfApi } from "./AsOf.ts"
import { BackupsApi } from "./Backups.ts"
import { BundlesApi } from "./Bundles.ts"
import { ChatApi } from "./Chat.ts"
import { CommentsApi } from "./Comments.ts"
import { document } from "./document.ts"
import { EventsApi } from "./Events.ts"
import { ExecutionsApi } from "./Executions.ts"
import { FunctionsApi } from "./Functions.ts"
import { KeysApi } from "./Keys.ts"
import { ErasuresApi, OrganizationsApi } from "./Organizations.ts"
import { PatternsApi } from "./Patterns.ts"
import { PublicApi } from "./Public.ts"
import { RawApi } from "./Raw.ts"
import { ReplaysApi } from "./Replays.ts"
import { ReposApi } from "./Repos.ts"
import { RunsApi } from "./Runs.ts"
import { ServiceApi } from "./Service.ts"
import { SignInApi } from "./SignIn.ts"
import { SnippetsApi } from "./Snippets.ts"
import { SystemApi } from "./System.ts"
import { UsageApi } from "./Usage.ts"
import { UsersApi } from "./Users.ts"
import { version } from "./version.ts"
import { WorkspacesApi } from "./Workspaces.ts"

/** The whole REST contract. A bad request is told everything that is wrong with it at once. */
export class Api extends HttpApi.make("cairn")
  .add(ChatApi)
  .add(SnippetsApi)
  .add(ReposApi)
  .add(PublicApi)
  .add(RawApi)
  .add(ExecutionsApi)
  .add(CommentsApi)
  .add(PatternsApi)
  .add(FunctionsApi)
  .add(BundlesApi)
  .add(KeysApi)
  .add(RunsApi)
  .add(WorkspacesApi)
  .add(EventsApi)
  .add(BackupsApi)
  .add(OrganizationsApi)
  .add(ErasuresApi)
  .add(UsersApi)
  .add(UsageApi)
  .add(AccessApi)
  .add(ActivityApi)
  .add(ServiceApi)
  .add(ReplaysApi)
  .add(AsOfApi)
  .add(SignInApi)
  .add(SystemApi)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all" })
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Cairn",
      version,
      description: "Agent workspaces and a store of proven code snippets, self-hosted and event-sourced.",
      transform: document
    })
  ) {}
