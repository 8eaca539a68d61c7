import { layer } from "#infra/JustBash/layer.ts"
import { contract } from "./Sandbox.contract.ts"

contract("just-bash", layer, { writesThrough: true })
