import { randomUUID } from "node:crypto"
import { ProtocolDouble } from "./ProtocolDouble.ts"
import { Records } from "./records.ts"

/**
 * Three doubles of one log, of which one leads. What went in is on all of them at once: it shows how the client finds
 * its way, and nothing of how a cluster keeps what it has.
 */
export class ClusterDouble {
  readonly records = new Records()
  readonly nodes: ReadonlyArray<ProtocolDouble>
  readonly #alive = new Set<ProtocolDouble>()
  /** What nodes say of each other may be old. */
  #leader: ProtocolDouble | undefined

  constructor(version?: string) {
    this.nodes = [0, 1, 2].map(() => new ProtocolDouble(version, this.records))
    const ids = this.nodes.map(() => randomUUID())
    for (const node of this.nodes) {
      node.members = () =>
        this.nodes.map((other, index) => ({
          id: ids[index]!,
          port: other.port,
          alive: this.#alive.has(other),
          leads: other === this.#leader
        }))
    }
  }

  get leader(): ProtocolDouble | undefined {
    return this.#leader
  }

  get url(): string {
    return `kurrentdb://${this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(",")}?tls=false`
  }

  get refused(): ReadonlyArray<string> {
    return this.nodes.flatMap(({ refused }) => refused)
  }

  async start(): Promise<void> {
    for (const node of this.nodes) await this.revive(node)
    this.elect(this.nodes[0]!)
  }

  stop(): void {
    for (const node of this.nodes) node.stop()
  }

  async revive(node: ProtocolDouble): Promise<void> {
    await node.start()
    this.#alive.add(node)
  }

  /** The others go on believing that it leads, until they elect another. */
  kill(node: ProtocolDouble): void {
    node.stop()
  }

  /** Makes a node the one that leads; the others know of it at once, and of those that are gone. */
  elect(leader: ProtocolDouble, gone: ReadonlyArray<ProtocolDouble> = []): void {
    for (const node of gone) this.#alive.delete(node)
    this.#leader = leader
    for (const node of this.nodes) node.leader = node === leader ? undefined : { host: "127.0.0.1", port: leader.port }
  }
}
