import type { EventActor } from "../../../clients/typescript/src/index.ts"
import { html, type Node } from "../html.ts"
import { Text } from "../parts/Text.ts"

/** Who caused an event, by name if it is known. */
export const Actor = ({
  of,
  names
}: {
  readonly of: EventActor
  readonly names: ReadonlyMap<string, string>
}): Node => {
  if (of.keyId === null && of.userId === null) return html`<span class="quiet">the service</span>`
  if (of.keyId === "external") return html`<span class="quiet">somebody in another organization</span>`
  const name =
    names.get(of.userId ?? "") ?? names.get(of.keyId ?? "") ?? `${(of.userId ?? of.keyId ?? "").slice(0, 8)}…`
  return html`<span title=${`key ${of.keyId ?? "none"}`}><${Text} of=${name} /></span>`
}
