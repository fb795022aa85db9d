import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** For test files: returns a directory that is removed afterwards, and a function that writes files in it. */
export function scratch() {
  const directory = mkdtempSync(join(tmpdir(), 'partner-deals-test-'))
  afterAll(() => rm(directory, { recursive: true }))
  /** Returns the path of a new file with this content. */
  async function write(content: string | Buffer, name = ''): Promise<string> {
    const path = join(directory, `${crypto.randomUUID()}${name}`)
    await writeFile(path, content)
    return path
  }
  return { directory, write }
}
