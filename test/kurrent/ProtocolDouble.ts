import * as grpc from "@grpc/grpc-js"
import gossip from "@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/gossip_grpc_pb.js"
import features from "@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/serverfeatures_grpc_pb.js"
import featureMessages from "@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/serverfeatures_pb.js"
import services from "@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js"
import { type Appending, append } from "./append.ts"
import { gossipOf, type Member } from "./gossip.ts"
import { type Reading, read, type Seen, type Slow, Unknown } from "./read.ts"
import { type Proposed, Records } from "./records.ts"
import { accessDenied, fault, noLeader, notLeader, notReady, timedOut, unauthenticated } from "./wire.ts"

const { StreamsService } = services

/**
 * A double of KurrentDB's protocol, not of its storage: gRPC on the client's own message definitions, with what the
 * server's source and documentation say of appends, reads and subscriptions. It shows that the adapter does what we
 * think, not that we think right. What it does not know it refuses with `UNIMPLEMENTED`, and keeps in `refused`, which
 * every test wants empty.
 */
export class ProtocolDouble {
  /** What it has; nodes of a cluster have the same. */
  readonly records: Records
  readonly refused: Array<string> = []
  /** What was asked for, in order: of each call its method. */
  readonly calls: Array<string> = []
  readonly seen: Seen = { patterns: [], sent: [], from: [] }
  readonly slow: Slow = { looks: Number.POSITIVE_INFINITY, before: undefined, news: undefined }
  /** Subscriptions that are open. */
  subscribed = 0
  version: string
  /** With TLS, who may use it; a server without lets in everybody, whoever they say that they are. */
  tls: { readonly key: Buffer; readonly cert: Buffer; readonly name: string; readonly password: string } | undefined
  /** Whoever asks has no right to. */
  denied = false
  /** Appends that go in, and whose answer is lost with the connection. */
  loseAnswers = 0
  /** Appends that go in, and of which the majority does not know in time. */
  unheard = 0
  /** Answers that nothing is ready for yet. */
  unready = 0
  /** Calls that nobody answers: as of a machine that stands still. */
  silent = false
  /** Where the leader is, when this is not it; `null` while there is none. */
  leader: { readonly host: string; readonly port: number } | null | undefined
  /** Of what cluster it is a node. */
  members: (() => ReadonlyArray<Member>) | undefined
  #server: grpc.Server | undefined
  #port = 0

  constructor(version = "26.1.0", records = new Records()) {
    this.version = version
    this.records = records
  }

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
    server.addService(gossip.GossipService as unknown as grpc.ServiceDefinition, {
      read: (_call: unknown, answer: grpc.sendUnaryData<unknown>) => {
        if (this.silent) return
        const { members } = this
        if (members === undefined) answer(this.#unknown("gossip of a single node"))
        else answer(null, gossipOf(members()))
      }
    })
    server.addService(StreamsService as unknown as grpc.ServiceDefinition, streams)
    server.addService(features.ServerFeaturesService as unknown as grpc.ServiceDefinition, {
      getSupportedMethods: (_call: unknown, answer: grpc.sendUnaryData<unknown>) => answer(null, this.#features())
    })
    this.#port = await new Promise<number>((resolve, reject) =>
      server.bindAsync(`127.0.0.1:${this.#port}`, this.#credentials, (error, port) =>
        error === null ? resolve(port) : reject(error)
      )
    )
    this.#server = server
  }

  get #credentials(): grpc.ServerCredentials {
    const { tls } = this
    return tls === undefined
      ? grpc.ServerCredentials.createInsecure()
      : grpc.ServerCredentials.createSsl(null, [{ private_key: tls.key, cert_chain: tls.cert }])
  }

  /** Like a server that was killed: connections break, and nothing that was appended is lost. */
  stop(): void {
    this.#server?.forceShutdown()
    this.#server = undefined
    this.records.wake()
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
  }

  /** Whether it is one from before 24, which subscribes otherwise. */
  get #old(): boolean {
    return Number.parseInt(this.version, 10) < 24
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
    if (this.tls !== undefined) {
      const { name, password } = this.tls
      const told = `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`
      if (metadata.get("authorization")[0] !== told) return unauthenticated()
    }
    if (this.denied) return accessDenied()
    if (this.leader === undefined || metadata.get("requires-leader")[0] !== "true") return undefined
    return this.leader === null ? noLeader() : notLeader(this.leader.host, this.leader.port)
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
    if (!subscribes) return read(call, this.records, this, this.#old)
    this.subscribed += 1
    call.once("cancelled", () => this.records.wake())
    try {
      await read(call, this.records, this, this.#old)
    } finally {
      this.subscribed -= 1
    }
  }

  async #append(call: Appending, answer: grpc.sendUnaryData<unknown>): Promise<void> {
    // 1 MiB by default until 24.10, and a chunk of 256 MiB from 25.1 on
    const response = await append(call, this.records, Number.parseInt(this.version, 10) < 25)
    if (this.unheard > 0) {
      this.unheard -= 1
      return answer(timedOut())
    }
    if (this.loseAnswers === 0) return answer(null, response)
    this.loseAnswers -= 1
    // in, and nobody hears of it
    answer(fault(grpc.status.UNAVAILABLE, "Connection dropped"))
  }
}
