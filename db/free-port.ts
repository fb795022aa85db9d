import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ports of outgoing connections, which Linux and macOS take from 32768 and 49152 on.
const [first, count] = [20_000, 10_007]

// Processes that start together begin apart, so that two do not find the same port before one listens on it.
let next = (process.pid * 17) % count

/**
 * Returns a port that nothing listens on. It stays free until it is listened on: no outgoing connection is
 * given it, and this process is not given it again before all others.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + next
    next = (next + 1) % count
    const server = createServer()
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
      return port
    } catch {
      // taken: another
    } finally {
      server.close()
    }
  }
}
