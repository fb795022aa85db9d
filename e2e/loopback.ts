import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

/** Makes a server listen on loopback, by default on a free port. Returns its address. */
export async function listenLocally(server: Server, port = 0, host = '127.0.0.1') {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await once(server.listen(port, host), 'listening')
  const { port: own } = server.address() as AddressInfo
  return {
    port: own,
    url: `http://${host}:${own}`,
    /** Stops listening and ends all connections. */
    async close(): Promise<void> {
      if (!server.listening) return
      const closed = once(server.close(), 'close')
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
