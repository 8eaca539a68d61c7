import { Data } from "effect"

/** `CAIRN_OWNER_KEY` is no owner's key of this store, which has organizations already. */
export class ForeignOwnerKey extends Data.TaggedError("ForeignOwnerKey") {
  override readonly message =
    "CAIRN_OWNER_KEY is wrong: expected a live owner's key of this store (it has an organization already)"
}
