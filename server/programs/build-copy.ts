import { createHash } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '../..')

/** Path from which partners download the program. A file next to it contains the SHA-256. */
export const copyPath = 'public/clients/partner-deals-copy.mjs'

/** Bundles partner-deals-copy and its libraries into one file. */
export async function buildCopy(file = join(root, copyPath)): Promise<void> {
  const bundle = await rolldown({
    input: join(root, 'server/copy/main.ts'),
    platform: 'node',
    external: /^node:/,
    logLevel: 'warn',
  })
  await bundle.write({
    file,
    format: 'esm',
    codeSplitting: false,
    minify: true,
    banner: '#!/usr/bin/env node',
  })
  await bundle.close()
  chmodSync(file, 0o755)
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex')
  writeFileSync(`${file}.sha256`, `${digest}  partner-deals-copy.mjs\n`)
}
