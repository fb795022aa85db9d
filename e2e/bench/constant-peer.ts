import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

// Node's upper bound: one response from memory, and 304 for any ETag.
const body = readFileSync(process.env.BODY_FILE!)

createServer((request, response) => {
  if (request.headers['if-none-match'] !== undefined) response.writeHead(304).end()
  else
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body)
}).listen(Number(process.env.PORT), '127.0.0.1')
