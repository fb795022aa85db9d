import { createServer } from 'node:http'

// A partner's receiver in its own process. Responds 200 to each event, and never to /silent; GET returns what
// arrived since the last DELETE. Prints its URL when listening.

const messages = new Set<unknown>()
let firstMs = 0
let lastMs = 0

function count(message: unknown): void {
  if (messages.has(message)) return
  lastMs = performance.now()
  if (messages.size === 0) firstMs = lastMs
  messages.add(message)
}

const server = createServer((request, response) => {
  request.resume()
  if (request.method === 'GET') {
    response.end(JSON.stringify({ messages: messages.size, ms: lastMs - firstMs }))
  } else if (request.method === 'DELETE') {
    messages.clear()
    response.end()
  } else if (request.url !== '/silent') {
    count(request.headers['webhook-id'])
    request.once('end', () => response.end())
  }
})

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number }
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
