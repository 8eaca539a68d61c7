import { layer } from "#infra/sandbox/bubblewrap/layer.ts"
import { bubblewrap } from "./bubblewrap.host.ts"
import { contract } from "./contract.ts"

bubblewrap("Bubblewrap keeps the contract", () => contract("bubblewrap", layer, { writesThrough: false }))
