import gossip from "@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/gossip_pb.js"
import shared from "@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/shared_pb.js"

const { ClusterInfo, EndPoint, MemberInfo } = gossip

/** A node of a cluster, as the others see it. */
export interface Member {
  readonly id: string
  readonly port: number
  readonly alive: boolean
  readonly leads: boolean
}

export const gossipOf = (members: ReadonlyArray<Member>): InstanceType<typeof ClusterInfo> => {
  const cluster = new ClusterInfo()
  for (const { id, port, alive, leads } of members) {
    const member = new MemberInfo()
    const uuid = new shared.UUID()
    uuid.setString(id)
    member.setInstanceId(uuid)
    member.setState(leads ? MemberInfo.VNodeState.LEADER : MemberInfo.VNodeState.FOLLOWER)
    member.setIsAlive(alive)
    const place = new EndPoint()
    place.setAddress("127.0.0.1")
    place.setPort(port)
    member.setHttpEndPoint(place)
    cluster.addMembers(member)
  }
  return cluster
}
