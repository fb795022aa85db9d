import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { Page } from '@playwright/test'
import { listenLocally } from './loopback.ts'

// A push service and its browsers, according to the protocols.

/** Returns a simulated browser with its keys (RFC 8291). */
export function makeBrowser() {
  const pair = createECDH('prime256v1')
  const own = pair.generateKeys()
  const auth = randomBytes(16)
  return {
    keys: { p256dh: own.toString('base64url'), auth: auth.toString('base64url') },
    /** Decrypts a message (RFC 8188, aes128gcm). */
    decrypt(body: Buffer): unknown {
      const [salt, idLength] = [body.subarray(0, 16), body[20]!]
      const sender = body.subarray(21, 21 + idLength)
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), own, sender])
      const ikm = Buffer.from(hkdfSync('sha256', pair.computeSecret(sender), auth, info, 32))
      const derive = (name: string, length: number) =>
        Buffer.from(hkdfSync('sha256', ikm, salt, Buffer.from(`Content-Encoding: ${name}\0`), length))
      const sealed = body.subarray(21 + idLength)
      const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
      decipher.setAuthTag(sealed.subarray(-16))
      const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
      return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString())
    },
  }
}

/** A request received by the push service. */
export interface Pushed {
  path: string
  headers: NodeJS.Dict<string | string[]>
  body: Buffer
}

/** A push service on loopback that responds with `status`. */
export interface PushService {
  url: string
  pushed: Pushed[]
  status: number
  close(): Promise<void>
}

/** Starts a push service that accepts every message. */
export async function startPushService(): Promise<PushService> {
  const pushed: Pushed[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = await Array.fromAsync(request)
    pushed.push({ path: request.url!, headers: request.headers, body: Buffer.concat(chunks) })
    response.writeHead(service.status).end()
  })
  const { url, close } = await listenLocally(server)
  const service: PushService = {
    url,
    pushed,
    status: 201,
    close,
  }
  return service
}

/**
 * Subscribes the page's browser to a push service. Replaces the browser's own API, which does not work in
 * tests, and stores the key of the subscription as `subscribedWith`.
 */
export async function usePushService(page: Page, endpoint: string, keys: object): Promise<void> {
  await page.addInitScript(
    ([at, own]) => {
      let current: object | null = null
      PushManager.prototype.getSubscription = async () => current as PushSubscription | null
      PushManager.prototype.subscribe = async (options) => {
        Object.assign(globalThis, { subscribedWith: options!.applicationServerKey })
        const toJSON = () => ({ endpoint: at, keys: own })
        current = { endpoint: at, toJSON, unsubscribe: async () => (current = null) }
        return current as PushSubscription
      }
      Notification.requestPermission = async () => 'granted'
      Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
    },
    [endpoint, keys] as const,
  )
}
