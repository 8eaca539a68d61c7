import { Context } from "effect"

/** What is this installation's own: a random secret, made with the database, from which ids of persons are derived. */
export class Installation extends Context.Service<Installation, { readonly secret: string }>()("cairn/Installation") {}
