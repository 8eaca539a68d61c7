/** A program that is done at once, and whose calls are recorded. */
import { agentFunction, publishFunctions } from "../../src/agent/index.ts"
import { Cairn } from "../../src/index.ts"

const twice = agentFunction((n: number) => n + n, { name: "twice_at_the_end", description: "Adds a number to itself." })
await publishFunctions(new Cairn(), [twice])
for (let n = 0; n < 20; n++) twice(n)
