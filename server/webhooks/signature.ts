import { createHmac } from 'node:crypto'

/**
 * Returns a new secret as shown to partners: `whsec_` and the base64 of 32 bytes. `random` returns the given
 * number of random bytes.
 */
export function makeSecret(random: (count: number) => Uint8Array): string {
  return `whsec_${Buffer.from(random(32)).toString('base64')}`
}

/** Signed content: exactly the bytes sent. */
export interface Message {
  /** Message id, the same for all attempts. */
  id: string
  at: Date
  body: Buffer
}

/** Returns the value of `webhook-timestamp`, in whole seconds since 1970. */
export function timestampOf(at: Date): string {
  return String(Math.floor(at.getTime() / 1000))
}

/**
 * Returns the value of `webhook-signature`: one signature per secret, newest secret first, so that receivers
 * can switch secrets without losing events. @see
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md "Signature
 * scheme"
 */
export function sign({ id, at, body }: Message, secrets: readonly string[]): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
      return `v1,${createHmac('sha256', key)
        .update(`${id}.${timestampOf(at)}.`)
        .update(body)
        .digest('base64')}`
    })
    .join(' ')
}
