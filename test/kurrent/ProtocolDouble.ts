import * as grpc from "@grpc/grpc-js"
import features from "@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/serverfeatures_grpc_pb.js"
import featureMessages from "@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/serverfeatures_pb.js"
import services from "@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js"
import { type Appending, append } from "./append.ts"
import { type Reading, read, type Seen, Unknown } from "./read.ts"
import { type Proposed, Records } from "./records.ts"
import { accessDenied, fault, notLeader, notReady } from "./wire.ts"

const { StreamsService } = services

/**
 * A double of KurrentDB's protocol, not of its storage: gRPC on the client's own message definitions, with what the server's source and
 * documentation say of appends, reads and subscriptions. It shows that the adapter does what we think, not that we think right. What it does
 * not know it refuses with `UNIMPLEMENTED`, and keeps in `refused`, which every test wants empty.
 */
export class ProtocolDouble {
  readonly records = new Records()
  readonly refused: Array<string> = []
  /** What was asked for, in order: of each call its method. */
  readonly calls: Array<string> = []
  readonly seen: Seen = { patterns: [], sent: [] }
  /** Subscriptions that are open. */
  subscribed = 0
  version = "25.1.0"
  /** Who may use it; nobody has to say who they are while it is `undefined`. */
  user: { readonly name: string; readonly password: string } | undefined
  /** Appends that go in, and whose answer is lost with the connection. */
  loseAnswers = 0
  /** Answers that nothing is ready for yet. */
  unready = 0
  /** Calls that nobody answers: as of a machine that stands still. */
  silent = false
  /** Where the leader is, when this is not it. */
  leader: { readonly host: string; readonly port: number } | undefined
  #server: grpc.Server | undefined
  #port = 0
  readonly #waiting = new Set<() => void>()

  get port(): number {
    return this.#port
  }

  get url(): string {
    return `kurrentdb://127.0.0.1:${this.#port}?tls=false`
  }

  /** Listens, at the same port as the last time; what it has is kept. */
  async start(): Promise<void> {
    const server = new grpc.Server({ "grpc.max_receive_message_length": 17 * 1024 * 1024 })
    const streams: grpc.UntypedServiceImplementation = {
      read: (call: Reading) =>
        void this.#answer(
          call,
          "read",
          (error) => call.emit("error", error),
          () => this.#read(call)
        ),
      append: (call: Appending, answer: grpc.sendUnaryData<unknown>) =>
        void this.#answer(call, "append", answer, () => this.#append(call, answer))
    }
    for (const [name, { responseStream }] of Object.entries(StreamsService)) {
      streams[name] ??= (call: grpc.ServerUnaryCall<unknown, unknown>, answer?: grpc.sendUnaryData<unknown>) => {
        const error = this.#unknown(`the call ${name}`)
        if (responseStream) (call as unknown as NodeJS.EventEmitter).emit("error", error)
        else answer?.(error)
      }
    }
    server.addService(StreamsService as unknown as grpc.ServiceDefinition, streams)
    server.addService(features.ServerFeaturesService as unknown as grpc.ServiceDefinition, {
      getSupportedMethods: (_call: unknown, answer: grpc.sendUnaryData<unknown>) => answer(null, this.#features())
    })
    this.#port = await new Promise<number>((resolve, reject) =>
      server.bindAsync(`127.0.0.1:${this.#port}`, grpc.ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error)
      )
    )
    this.#server = server
  }

  /** Like a server that was killed: connections break, and nothing that was appended is lost. */
  stop(): void {
    this.#server?.forceShutdown()
    this.#server = undefined
    this.#wake()
  }

  /** Appends what is not Cairn's, as another program on the same server would. */
  foreign(stream: string, events: ReadonlyArray<Partial<Proposed>>): void {
    const proposed = events.map((event) => ({
      id: crypto.randomUUID(),
      type: "Foreign",
      contentType: "application/json",
      data: Buffer.from("{}"),
      metadata: new Uint8Array(),
      ...event
    }))
    this.records.append(stream, "any", proposed)
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }

  #features(): InstanceType<typeof featureMessages.SupportedMethods> {
    const supported = new featureMessages.SupportedMethods()
    supported.setEventStoreServerVersion(this.version)
    for (const name of ["read", "append", "batchappend", "delete", "tombstone"]) {
      const method = new featureMessages.SupportedMethod()
      method.setServiceName("event_store.client.streams.streams")
      method.setMethodName(name)
      if (name === "read") method.setFeaturesList(["position", "events"])
      supported.addMethods(method)
    }
    return supported
  }

  #unknown(what: string): grpc.ServiceError {
    this.refused.push(what)
    return fault(grpc.status.UNIMPLEMENTED, `the protocol double does not know ${what}`)
  }

  /** Whether a call may go on; else why not. */
  #refusal({ metadata }: { readonly metadata: grpc.Metadata }): grpc.ServiceError | undefined {
    if (this.unready > 0) {
      this.unready -= 1
      return notReady()
    }
    if (this.leader !== undefined && metadata.get("requires-leader")[0] === "true")
      return notLeader(this.leader.host, this.leader.port)
    if (this.user === undefined) return undefined
    const { name, password } = this.user
    const told = `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`
    return metadata.get("authorization")[0] === told ? undefined : accessDenied()
  }

  async #answer(
    call: { readonly metadata: grpc.Metadata },
    method: string,
    fail: (error: grpc.ServiceError) => void,
    go: () => Promise<void>
  ): Promise<void> {
    this.calls.push(method)
    if (this.silent) return
    const refusal = this.#refusal(call)
    if (refusal !== undefined) return fail(refusal)
    try {
      await go()
    } catch (error) {
      if (error instanceof Unknown) return fail(this.#unknown(error.message))
      fail(error as grpc.ServiceError)
    }
  }

  async #read(call: Reading): Promise<void> {
    const subscribes = call.request.getOptions()?.hasSubscription() === true
    if (!subscribes) return read(call, this.records, this.seen, () => Promise.resolve())
    this.subscribed += 1
    call.once("cancelled", () => this.#wake())
    try {
      await read(call, this.records, this.seen, () => new Promise((wake) => void this.#waiting.add(wake)))
    } finally {
      this.subscribed -= 1
    }
  }

  async #append(call: Appending, answer: grpc.sendUnaryData<unknown>): Promise<void> {
    const { response, appended } = await append(call, this.records)
    if (appended.length > 0) this.#wake()
    if (this.loseAnswers === 0) return answer(null, response)
    this.loseAnswers -= 1
    // in, and nobody hears of it
    answer(fault(grpc.status.UNAVAILABLE, "Connection dropped"))
  }
}
