import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'

const folder = join(process.cwd(), 'public/clients')
const read = (name: string) => readFileSync(join(folder, name))

/** Returns the TypeScript client as JavaScript. */
function javaScript(): Buffer {
  const lines = stripTypeScriptTypes(read('partner-deals.ts').toString()).split('\n')
  const text = lines.map((line) => line.trimEnd()).join('\n')
  // Stripping the types leaves blanks and comments behind.
  return Buffer.from(
    text
      .replaceAll(/([\w)}\]=]) {2,}/g, (found, before: string, at: number) => {
        const isClosed = before !== '=' && ',)('.includes(text[at + found.length] ?? ' ')
        return isClosed ? before : `${before} `
      })
      .replaceAll(/^ {11}(?=\w|#)/gm, '  ')
      .replaceAll(/^\/\*\*.*\*\/\n\n/gm, '')
      .replaceAll(/\n{3,}/g, '\n\n'),
  )
}

/** Returns a folder as an npm package that includes the client. The same files always give the same bytes. */
async function npmPackage(name: string): Promise<Buffer> {
  const tar = pack()
  const files = globSync('*', { cwd: join(folder, name) }).toSorted()
  const mtime = new Date(0)
  for (const file of files) tar.entry({ name: `package/${file}`, mtime }, read(join(name, file)))
  tar.entry({ name: 'package/partner-deals.mjs', mtime }, javaScript())
  tar.finalize()
  return gzipSync(await buffer(tar))
}

/** Files generated from `public/clients`. Other files in that folder are served unchanged. */
export const built: Record<string, () => Buffer | Promise<Buffer>> = {
  'partner-deals.mjs': javaScript,
  'zapier-partner-deals.tgz': () => npmPackage('zapier'),
  'n8n-nodes-partner-deals.tgz': () => npmPackage('n8n'),
}

/** Returns the contents of a file under `/clients`. */
export const downloadOf = async (name: string): Promise<Buffer> => built[name]?.() ?? read(name)

/** Returns the hexadecimal SHA-256 checksum of a file under `/clients`. */
export const checksumOf = async (name: string): Promise<string> =>
  createHash('sha256')
    .update(await downloadOf(name))
    .digest('hex')
