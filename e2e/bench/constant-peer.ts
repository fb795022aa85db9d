import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

// What Node can send at most: one answer from memory, whatever is asked, and a 304 to whoever holds any.
const body = readFileSync(process.env.BODY_FILE!)

createServer((request, response) => {
  if (request.headers['if-none-match'] !== undefined) response.writeHead(304).end()
  else
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body)
}).listen(Number(process.env.PORT), '127.0.0.1')
