/**
 * Loads Effect so that its fibers carry no `AsyncResource` of node:async_hooks. On Deno (2.9) each such resource holds
 * the one in whose context it was made, so a fiber that never ends holds one more with each of its steps: some hundred
 * bytes, some hundred times a second, for good. Nothing here reads an `AsyncLocalStorage`. Import this before anything
 * that imports Effect: all later imports are loaded before the next turn.
 */
const { getBuiltinModule } = process

process.getBuiltinModule = ((name: string) =>
  name === "node:async_hooks" ? undefined : getBuiltinModule(name)) as typeof getBuiltinModule
setImmediate(() => {
  process.getBuiltinModule = getBuiltinModule
})

export {}
