import * as grpc from "@grpc/grpc-js"
import shared from "@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/shared_pb.js"
import streams from "@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js"
import type { Record } from "./records.ts"

const { ReadResp } = streams
const { RecordedEvent } = ReadResp.ReadEvent

/** The server's clock counts 100 ns from the year 1; over gRPC from the epoch. */
const ticks = 10_000

export const recordedOf = (record: Record): InstanceType<typeof RecordedEvent> => {
  const event = new RecordedEvent()
  const id = new shared.UUID()
  id.setString(record.id)
  event.setId(id)
  const stream = new shared.StreamIdentifier()
  stream.setStreamName(Buffer.from(record.stream).toString("base64"))
  event.setStreamIdentifier(stream)
  event.setStreamRevision(String(record.revision))
  event.setCommitPosition(String(record.position))
  event.setPreparePosition(String(record.position))
  event.setData(record.data)
  event.setCustomMetadata(record.metadata)
  const metadata = event.getMetadataMap()
  metadata.set("type", record.type)
  metadata.set("created", String(record.created * ticks))
  metadata.set("content-type", record.contentType)
  return event
}

export const eventOf = (record: Record): InstanceType<typeof ReadResp> => {
  const read = new ReadResp.ReadEvent()
  read.setEvent(recordedOf(record))
  read.setCommitPosition(String(record.position))
  const response = new ReadResp()
  response.setEvent(read)
  return response
}

/** Where something begins: a record, or what comes behind one, of which no prepare is known. */
export interface ServerPosition {
  readonly commit: number
  readonly prepare: number
}

export const checkpointAt = ({ commit, prepare }: ServerPosition): InstanceType<typeof ReadResp> => {
  const checkpoint = new ReadResp.Checkpoint()
  checkpoint.setCommitPosition(String(commit))
  checkpoint.setPreparePosition(String(prepare))
  const response = new ReadResp()
  response.setCheckpoint(checkpoint)
  return response
}

export const confirmation = (id: string): InstanceType<typeof ReadResp> => {
  const confirmed = new ReadResp.SubscriptionConfirmation()
  confirmed.setSubscriptionId(id)
  const response = new ReadResp()
  response.setConfirmation(confirmed)
  return response
}

export const caughtUp = (): InstanceType<typeof ReadResp> => {
  const response = new ReadResp()
  response.setCaughtUp(new ReadResp.CaughtUp())
  return response
}

export const notFound = (stream: string): InstanceType<typeof ReadResp> => {
  const identifier = new shared.StreamIdentifier()
  identifier.setStreamName(Buffer.from(stream).toString("base64"))
  const missing = new ReadResp.StreamNotFound()
  missing.setStreamIdentifier(identifier)
  const response = new ReadResp()
  response.setStreamNotFound(missing)
  return response
}

/** An error as the server words it: a gRPC status, and which kind it is in the trailers. */
export const fault = (
  code: grpc.status,
  details: string,
  trailers: { readonly [name: string]: string } = {}
): grpc.ServiceError => {
  const metadata = new grpc.Metadata()
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value)
  return Object.assign(new Error(details), { code, details, metadata })
}

export const accessDenied = () => fault(grpc.status.PERMISSION_DENIED, "Access Denied", { exception: "access-denied" })

export const notLeader = (host: string, port: number) =>
  fault(grpc.status.NOT_FOUND, "Leader info available", {
    exception: "not-leader",
    "leader-endpoint-host": host,
    "leader-endpoint-port": String(port)
  })

export const notReady = () => fault(grpc.status.UNAVAILABLE, "Server Is Not Ready")

/** As subscriptions say it; a read says that it does not know what came out. */
export const invalidPosition = () => fault(grpc.status.INVALID_ARGUMENT, "Trying to read from an invalid position.")

export const unexpectedPosition = () => fault(grpc.status.UNKNOWN, "Unexpected FilteredReadAllResult: InvalidPosition")

export const unauthenticated = () => fault(grpc.status.UNAUTHENTICATED, "Unauthenticated")

export const noLeader = () => fault(grpc.status.UNKNOWN, "No leader info available in response")

/** Of an append that the majority did not get in time, or which is there already and did not reach it yet. */
export const timedOut = () => fault(grpc.status.ABORTED, "Operation timed out: Commit phase timeout.")

export const appendTooBig = (most: number) =>
  fault(grpc.status.INVALID_ARGUMENT, `Maximum Append Size of ${most} Exceeded.`, {
    exception: "maximum-append-size-exceeded",
    "maximum-append-size": String(most)
  })
