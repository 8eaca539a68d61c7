import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** What stands between a browser and a service, and can be cut. */
export const cuttable = async (to: string) => {
  const { hostname, port } = new URL(to)
  const sockets = new Set<Socket>()
  let isCut = false
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => socket.destroy())
  }
  const server = createServer((near) => {
    keep(near)
    if (isCut) return near.destroy()
    const far = connect(Number(port), hostname)
    keep(far)
    near.pipe(far).pipe(near)
    near.on("close", () => far.destroy())
    far.on("close", () => near.destroy())
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Ends all connections, and takes none. */
    cut: () => {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    mend: () => {
      isCut = false
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    }
  }
}
