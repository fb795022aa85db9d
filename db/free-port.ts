import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

// A range of ports below the ports of outgoing connections, which start at 32768 on Linux and at 49152 on
// macOS.
const [first, count] = [20_000, 10_007]

/** Time for which a port stays reserved until the server listens on it. */
const lockMs = 60_000

// Concurrent processes start at different offsets, so that few ports are tried twice.
let next = (process.pid * 17) % count

/** Returns a free port, which no other process gets for a minute. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + next
    next = (next + 1) % count
    const release = await lockPort(port)
    if (release === null) continue
    if (await isFree(port)) {
      setTimeout(release, lockMs).unref()
      return port
    }
    release()
  }
}

/**
 * Reserves a port by binding the UDP port of the same number. Returns a function that releases the port, or
 * null if the port is already reserved.
 */
async function lockPort(port: number): Promise<(() => void) | null> {
  const socket = createSocket('udp4').unref()
  const release = () => socket.close()
  try {
    await once(socket.bind({ port, address: '127.0.0.1', exclusive: true }), 'listening')
    return release
  } catch {
    release()
    return null
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
