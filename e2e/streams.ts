import { type ClientRequest, type IncomingHttpHeaders, request } from 'node:http'
import type { LiveMessage } from '#server/live/wire.ts'

/** A change stream that is read like a browser does. */
export interface OpenStream {
  status: number
  headers: IncomingHttpHeaders
  /** Names of received events other than messages. */
  events: string[]
  messages: LiveMessage[]
  /** Returns true if the server has ended the stream. */
  isEnded(): boolean
  close(): void
}

/** Opens a change stream with this `Cookie` header. Resolves when the response headers arrive. */
export function openStream(
  { url }: { url: string },
  cookie: string | undefined,
  path = '/live',
): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const call: ClientRequest = request(url, {
      path,
      agent: false,
      headers: cookie === undefined ? {} : { cookie },
    })
    call.once('error', reject)
    call.once('response', (response) => {
      call.off('error', reject).on('error', () => {})
      let text = ''
      let isEnded = false
      const stream: OpenStream = {
        status: response.statusCode!,
        headers: response.headers,
        events: [],
        messages: [],
        isEnded: () => isEnded,
        close: () => void call.destroy(),
      }
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        const events = text.split('\n\n')
        text = events.pop()!
        for (const event of events) {
          const [, name] = /^event: (.*)$/m.exec(event) ?? []
          if (name !== undefined) stream.events.push(name)
          else stream.messages.push(JSON.parse(/^data: (.*)$/m.exec(event)![1]!) as LiveMessage)
        }
      })
      response.on('error', () => {})
      response.once('close', () => {
        isEnded = true
      })
      resolve(stream)
    })
    call.end()
  })
}
