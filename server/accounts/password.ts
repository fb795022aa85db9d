import { hash, verify } from '@node-rs/argon2'

// Argon2id, the library's default, with the parameters of the OWASP Password Storage Cheat Sheet.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// Of a password that nobody knows, made with the same cost.
const nobody = '$argon2id$v=19$m=19456,t=2,p=1$fxemFMX34oduM2Oh9V4hDw$NxhcgBJF87WQVree6kI0v1/XdGXxyfRAWvjijNcUCBA'

/** The hash of a password as it is kept, in PHC string format. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost)
}

/** Whether this is the password; without a hash to compare with, no after the same time. */
export async function isPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const matches = await verify(passwordHash ?? nobody, password)
  return passwordHash !== undefined && matches
}
