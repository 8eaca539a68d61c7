import { html, type Node } from "../html.ts"
import { useLoaded } from "../loading.ts"
import { whenThere } from "../parts/States.ts"
import { CreateKey } from "../people/CreateKey.ts"
import { Keys } from "../people/Keys.ts"
import { Organization } from "../people/Organization.ts"
import { People as Persons } from "../people/People.ts"
import { may } from "../session.ts"
import { useTitle } from "../title.ts"

/** The organization's people and keys. */
export const People = (): Node => {
  useTitle("People")
  const organization = useLoaded(may("organization.organization") ? "organization" : undefined, ({ cairn }, signal) =>
    cairn.organization.get({ signal })
  )
  const [, again] = organization
  return html`<div class="page people"><header class="title"><h1>People and keys</h1>
      <div class="actions"><${CreateKey} again=${again} /></div></header>
    ${may("organization.organization") && whenThere(organization, (of) => html`<${Organization} of=${of} />`, 2)}
    <${Persons} />
    ${may("keys.listKeys") && html`<${Keys} />`}</div>`
}
