import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import { BesideLog, type ErasuresLeft } from "#ports/LogCopy.ts"
import { operator } from "#src/actor.ts"
import type { Chain } from "#src/audit/backup/chain.ts"
import { verify } from "#src/audit/verify.ts"
import { audit } from "#src/layers.ts"
import { projections } from "#src/readModels.ts"
import { erase } from "#src/workspaces/restore.ts"
import { config, onLog, upToDate } from "../log.ts"
import type { ProgressBar } from "../progress.ts"

/** Erases an organization; the next service deletes what it had stored. Does nothing if it came after the backup. */
const eraseOrganization = (organization: string, metadata: CommandMetadata) =>
  dispatch(Organization, {
    tenant: organization,
    stream: `organization-${organization}`,
    ...metadata,
    command: OrganizationCommand.EraseOrganization({ by: null, organization, operates: false })
  }).pipe(Effect.catchTag("NotOrganizationMember", () => Effect.void))

/** Erases what is left. A restore that is given again after an interruption erases nothing twice. */
const eraseAgain = Effect.fnUntraced(function* ({ manifests }: Chain, { workspaces, organizations }: ErasuresLeft) {
  const of = (name: string): CommandMetadata => {
    const commandId = derivedId("erase again", manifests.at(-1)!.log.event, name)
    return { commandId, correlationId: commandId, actor: operator }
  }
  for (const { tenant, workspace, generation } of workspaces)
    yield* erase(tenant, workspace, of(repositoryOf(workspace, generation)))
  for (const organization of organizations) yield* eraseOrganization(organization, of(organization))
})

/**
 * Builds the read models, erases the organizations and workspaces that were erased since the backup, lets it be served,
 * and checks all of it as `cairn verify` does.
 */
export const after = Effect.fnUntraced(function* (
  chain: Chain,
  left: ErasuresLeft | undefined,
  besideOn: (copy: PgClient.PgClient) => Layer.Layer<BesideLog>,
  bar: ProgressBar
) {
  const at = yield* config
  return yield* onLog(
    Effect.gen(function* () {
      yield* upToDate(...projections)
      if (left !== undefined) {
        yield* eraseAgain(chain, left)
        yield* upToDate(...projections)
        yield* (yield* BesideLog).erased
      }
      const verified = yield* verify(projections, bar.at)
      bar.clear()
      return verified
    }).pipe(Effect.provide(Layer.merge(audit(at), Layer.unwrap(Effect.map(PgClient.PgClient, besideOn)))))
  )
})
