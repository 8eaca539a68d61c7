import fs from "node:fs"
import { afterAll } from "@effect/vitest"
import { Layer } from "effect"
import { layer } from "#test/gitWorkspaceStore.ts"
import { contract } from "#test/infra/WorkspaceStore.contract.ts"
import { temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

contract("workspaces in git repositories", Layer.orDie(layer({ directory })))
