import { hkdfSync } from 'node:crypto'
import { decryptFor, encryptFor } from '../../values/encryption.ts'

/** Returns the key for encrypting secrets, derived from the installation's key (HKDF, RFC 5869). */
export function encryptionKeyFrom(encryptionKey: string): Buffer {
  return Buffer.from(hkdfSync('sha256', encryptionKey, '', 'webhook secrets', 32))
}

/** Encrypts a secret for this partner. `random` returns the given number of random bytes. */
export const encrypt = (
  secret: string,
  partnerId: number,
  key: Buffer,
  random: (count: number) => Uint8Array,
): string => encryptFor(`partner ${partnerId}`, secret, key, random)

/** Decrypts a secret of this partner. @throws DecryptionError */
export const decrypt = (encrypted: string, partnerId: number, key: Buffer): string =>
  decryptFor(`partner ${partnerId}`, encrypted, key)
