import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

const ivBytes = 12
const tagBytes = 16

/** Returns the key for encrypting secrets, derived from the installation's key (HKDF, RFC 5869). */
export const encryptionKeyFrom = (encryptionKey: string): Buffer =>
  Buffer.from(hkdfSync('sha256', encryptionKey, '', 'webhook secrets', 32))

/**
 * Encrypts a secret: base64 of nonce, ciphertext, and tag (AES-256-GCM, NIST SP 800-38D). The result decrypts
 * only for the same owner, so rows cannot be swapped. `random` returns the given number of random bytes.
 */
export function encryptFor(
  owner: string,
  secret: string,
  key: Buffer,
  random: (count: number) => Uint8Array,
): string {
  const iv = random(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner))
  return Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
    'base64',
  )
}

/** Thrown when a secret cannot be decrypted because the key is different or the row was altered. */
export class DecryptionError extends Error {
  constructor() {
    super('A stored secret cannot be decrypted: ENCRYPTION_KEY is not the one it was encrypted with')
  }
}

/**
 * Decrypts a secret.
 * @throws DecryptionError
 */
export function decryptFor(owner: string, encrypted: string, key: Buffer): string {
  const bytes = Buffer.from(encrypted, 'base64')
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
      authTagLength: tagBytes,
    })
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(-tagBytes))
    return decipher.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    throw new DecryptionError()
  }
}
