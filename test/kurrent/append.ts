import type * as grpc from "@grpc/grpc-js"
import shared from "@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/shared_pb.js"
import streams from "@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js"
import { Unknown } from "./read.ts"
import type { Expected, Proposed, Records, Verdict } from "./records.ts"
import { appendTooBig } from "./wire.ts"

const { AppendReq, AppendResp } = streams
type Request = InstanceType<typeof AppendReq>
type Response = InstanceType<typeof AppendResp>
export type Appending = grpc.ServerReadableStream<Request, Response>

/** Bytes of one append, by default; from 25.1 on it is those of a chunk, which nobody here comes to. */
export const mostBytes = 1024 * 1024

/** Until 24.10 the server meant to count all of an event, and counts its data alone. */
const counted = ({ data }: Proposed): number => data.length

const refuse = (what: string): never => {
  throw new Unknown(what)
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const proposedOf = (request: Request): Proposed => {
  const message = request.getProposedMessage() ?? refuse("a message of an append that proposes nothing")
  const id = message.getId()?.getString() ?? ""
  const metadata = message.getMetadataMap()
  const [type, contentType] = [metadata.get("type"), metadata.get("content-type")]
  if (!uuid.test(id)) return refuse(`an event's id that is no UUID: ${id}`)
  if (!type) return refuse("an event without a type")
  if (contentType !== "application/json" && contentType !== "application/octet-stream")
    return refuse(`content of the type ${contentType}`)
  return { id, type, contentType, data: message.getData_asU8(), metadata: message.getCustomMetadata_asU8() }
}

const expectedOf = (options: InstanceType<typeof AppendReq.Options>): Expected => {
  if (options.hasNoStream()) return "no_stream"
  if (options.hasAny()) return "any"
  if (options.hasStreamExists()) return "stream_exists"
  return options.hasRevision() ? Number(options.getRevision()) : refuse("an append that expects nothing")
}

const answerOf = (expected: Expected, verdict: Verdict): Response => {
  const response = new AppendResp()
  if ("actual" in verdict) {
    const wrong = new AppendResp.WrongExpectedVersion()
    if (expected === "no_stream") wrong.setExpectedNoStream(new shared.Empty())
    else if (expected === "any") wrong.setExpectedAny(new shared.Empty())
    else if (expected === "stream_exists") wrong.setExpectedStreamExists(new shared.Empty())
    else wrong.setExpectedRevision(String(expected))
    if (verdict.actual === -1) wrong.setCurrentNoStream(new shared.Empty())
    else wrong.setCurrentRevision(String(verdict.actual))
    response.setWrongExpectedVersion(wrong)
    return response
  }
  const success = new AppendResp.Success()
  success.setCurrentRevision(String(verdict.revision))
  if (verdict.position === undefined) success.setNoPosition(new shared.Empty())
  else {
    const position = new AppendResp.Position()
    position.setCommitPosition(String(verdict.position))
    position.setPreparePosition(String(verdict.position))
    success.setPosition(position)
  }
  response.setSuccess(success)
  return response
}

/** What came whole is appended, and answered; an append that was broken off is none. */
export const append = async (call: Appending, records: Records, bounded: boolean): Promise<Response> => {
  const requests: Array<Request> = []
  for await (const request of call as AsyncIterable<Request>) requests.push(request)
  const options = requests[0]?.getOptions() ?? refuse("an append that does not begin with its options")
  const stream = Buffer.from(options.getStreamIdentifier()!.getStreamName_asU8()).toString()
  const events = requests.slice(1).map(proposedOf)
  if (stream === "" || events.length === 0) return refuse("an append of nothing, or to nowhere")
  if (bounded && events.reduce((sum, event) => sum + counted(event), 0) > mostBytes) throw appendTooBig(mostBytes)
  const expected = expectedOf(options)
  return answerOf(expected, records.append(stream, expected, events))
}
