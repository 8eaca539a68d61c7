import { Effect } from "effect"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { dispatch } from "#engine/dispatch.ts"
import type { Chain } from "#src/audit/backup/chain.ts"
import type { ErasedSince } from "#src/audit/backup/erasedSince.ts"
import { verify } from "#src/audit/verify.ts"
import { audit } from "#src/layers.ts"
import { projections } from "#src/readModels.ts"
import { erase } from "#src/workspaces/restore.ts"
import { config, onLog, upToDate } from "../log.ts"
import { metadata } from "../metadata.ts"
import type { ProgressBar } from "../progress.ts"

/** Erases an organization; the next service deletes what it had stored. Does nothing if it came after the backup. */
const eraseAgain = (organization: string) =>
  dispatch(Organization, {
    tenant: organization,
    stream: `organization-${organization}`,
    ...metadata(),
    command: OrganizationCommand.EraseOrganization({ by: null, organization, operates: false })
  }).pipe(Effect.catchTag("NotOrganizationMember", () => Effect.void))

/**
 * Builds the read models, erases the organizations and workspaces that were erased since the backup, and checks all of
 * it as `cairn verify` does.
 */
export const after = Effect.fnUntraced(function* (chain: Chain, since: ErasedSince, bar: ProgressBar) {
  const at = yield* config
  return yield* onLog(
    Effect.gen(function* () {
      yield* upToDate(...projections)
      const known = new Set([...chain.repositories.values()].map(({ workspace }) => workspace))
      for (const { tenant, workspace } of since.workspaces) {
        // a workspace whose first chat came after the backup is not there; one that was erased twice goes once
        if (!known.delete(workspace)) continue
        yield* erase(tenant, workspace, metadata())
      }
      for (const organization of since.organizations) yield* eraseAgain(organization)
      yield* upToDate(...projections)
      const { events, workspaces, commits, found, findings } = yield* verify(projections, bar.at)
      bar.clear()
      return { log_events: events, workspaces, commits, found, findings }
    }).pipe(Effect.provide(audit(at)))
  )
})
