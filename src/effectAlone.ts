/**
 * Lets Effect be loaded so that its fibers carry no `AsyncResource` of node:async_hooks. On Deno (2.9) each of these
 * holds the one in whose context it was made, so that a fiber which never ends holds one more for each of its steps:
 * some hundred bytes, some hundred times a second, for good. Nothing here reads an `AsyncLocalStorage`. Has to be
 * imported before anything that imports Effect: all that is imported behind it is loaded before the next turn.
 */
const { getBuiltinModule } = process

process.getBuiltinModule = ((name: string) =>
  name === "node:async_hooks" ? undefined : getBuiltinModule(name)) as typeof getBuiltinModule
setImmediate(() => {
  process.getBuiltinModule = getBuiltinModule
})

export {}
