import { type Socket, connect } from 'node:net'

/** A response that was parsed without an HTTP library. */
export interface RawAnswer {
  status: number
  /** Headers by lower-case name. */
  headers: Record<string, string>
  body: string
}

/** Opens a connection to the system, for writing byte by byte. */
export function dial({ url }: { url: string }, options: { allowHalfOpen?: boolean } = {}): Socket {
  const { hostname, port } = new URL(url)
  return connect({ host: hostname, port: Number(port), ...options })
}

/** Returns everything that the system sends until it closes the connection. */
export function listen(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.once('close', () => resolve(text))
  })
}

/** Sends exactly these bytes. Returns everything received until the system closes the connection. */
export async function send(system: { url: string }, bytes: string | Buffer): Promise<string> {
  const socket = dial(system)
  const text = listen(socket)
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  return text
}

/** Parses the first response in the received text. */
export function parseAnswer(received: string): RawAnswer {
  const [head, ...rest] = received.split('\r\n\r\n')
  const [statusLine, ...lines] = head!.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const body = rest.join('\r\n\r\n')
  const length = headers['content-length']
  return {
    status: Number(statusLine!.split(' ')[1]),
    headers,
    body: length === undefined ? body : body.slice(0, Number(length)),
  }
}
