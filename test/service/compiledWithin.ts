import { cachedDataVersionTag } from "node:v8"
import { converseWithService } from "../../infra/confined/inside.ts"

/** A confined process that says whose compiled code it takes. */
const send = converseWithService(() => send({ tag: cachedDataVersionTag() }))
