import { Effect, Layer } from "effect"
import { changesContract } from "../changes.ts"
import { contract } from "../contract.ts"
import { meaningContract } from "../meaning.ts"
import { folder, keptIn, reopened } from "./kept.ts"

contract("memory, from its snapshot after each change", reopened)
meaningContract("memory, from its snapshot after each change", reopened)
changesContract("memory, kept", Layer.unwrap(Effect.map(folder, (directory) => keptIn(directory))))
