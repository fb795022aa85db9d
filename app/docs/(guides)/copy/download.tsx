import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const path = 'clients/partner-deals-copy.mjs'

/** Links to the program and shows its SHA-256. */
export function Download() {
  return (
    <p>
      <a href={`/${path}`} download>
        partner-deals-copy.mjs
      </a>
      , SHA-256 <code className="break-all">{checksum()}</code>
    </p>
  )
}

/** Returns the checksum written by the build. In development, there may be no build. */
function checksum(): string {
  try {
    return readFileSync(join(process.cwd(), 'public', `${path}.sha256`), 'utf8').split(' ')[0]!
  } catch {
    return 'of the next build'
  }
}
