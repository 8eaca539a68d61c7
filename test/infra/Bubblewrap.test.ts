import { layer } from "#infra/Bubblewrap/layer.ts"
import { bubblewrap } from "./Bubblewrap.host.ts"
import { contract } from "./Sandbox.contract.ts"

bubblewrap("Bubblewrap keeps the contract", () => contract("bubblewrap", layer, { writesThrough: false }))
