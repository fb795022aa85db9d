import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { similarName } from '../http/known-names.ts'
import { ConfigurationError } from './env.ts'
import { variables as known } from './variables.ts'

/** The variables of a program, exported or from its env file, and its arguments except `--env-file`. */
export interface Environment {
  variables: Record<string, string | undefined>
  words: string[]
}

interface Program {
  words: string[]
  /**
   * Node's own arguments. If they contain `--env-file`, `exported` already includes the variables of the
   * file.
   */
  nodeWords?: string[]
  exported: Record<string, string | undefined>
  directory: string
  warn: (message: string) => void
}

/**
 * Reads the variables of a program from the file of `--env-file FILE`, or from `.env` in the directory if it
 * exists. Exported variables take precedence, even if they are empty.
 * @throws ConfigurationError
 */
export function readEnvironment({ words, nodeWords = [], exported, directory, warn }: Program): Environment {
  const { file, rest } = takeOption(words)
  const isRead = nodeWords.some((word) => word.startsWith('--env-file'))
  if (file === undefined && isRead) return { variables: exported, words: rest }
  const path = resolve(directory, file ?? '.env')
  const text = readText(path, file !== undefined)
  if (text === undefined) return { variables: exported, words: rest }
  const stats = statSync(path)
  if (stats.isFile() && process.platform !== 'win32' && (stats.mode & 0o004) !== 0)
    warn(`Every user of this machine can read ${path}, and it may have secrets: chmod o= ${path}`)
  return { variables: { ...parseFile(path, text), ...exported }, words: rest }
}

/**
 * Returns the file of `--env-file FILE` or `--env-file=FILE`, and the other arguments.
 * @throws ConfigurationError
 */
function takeOption(words: string[]): { file: string | undefined; rest: string[] } {
  const option = '--env-file'
  const at = words.findIndex((word) => word === option || word.startsWith(`${option}=`))
  // Arguments after `--` belong to the command.
  const end = words.indexOf('--')
  if (at === -1 || (end !== -1 && end < at)) return { file: undefined, rest: words }
  const isJoined = words[at] !== option
  const file = isJoined ? words[at]!.slice(option.length + 1) : words[at + 1]
  if (file === undefined || file === '')
    throw new ConfigurationError(`${option}: must be followed by the path of a file`)
  return { file, rest: words.toSpliced(at, isJoined ? 1 : 2) }
}

/** Windows editors and PowerShell write UTF-16 with a byte order mark. */
const decode = (bytes: Buffer) =>
  new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(bytes)

/**
 * Returns the text of the file, or undefined if an optional file does not exist.
 * @throws ConfigurationError
 */
function readText(path: string, isRequired: boolean): string | undefined {
  try {
    return decode(readFileSync(path))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && !isRequired) return undefined
    const reasons: Record<string, string> = {
      ENOENT: 'no such file',
      EACCES: 'this user may not read it',
      EISDIR: 'it is a directory',
    }
    throw new ConfigurationError(`${path}: ${reasons[code ?? ''] ?? String(code)}`)
  }
}

/**
 * Parses the text of an env file into variables.
 * @throws ConfigurationError for misspelled names, and for lines that other programs read differently
 */
function parseFile(path: string, text: string): Record<string, string | undefined> {
  const lines = text.replaceAll(/\r\n?/g, '\n').replaceAll(/^[ \t]*export[ \t]+/gm, '')
  const problems = lines
    .replaceAll(/=\s*(?:"[^"]*"|'[^']*'|`[^`]*`)/g, (value) => `=${value.replaceAll(/[^\n]/g, '')}`)
    .split('\n')
    .flatMap((line, index) => lineProblem(line.trim(), index + 1) ?? [])
  if (problems.length > 0)
    throw new ConfigurationError(problems.map((problem) => `${path}: ${problem}`).join('\n'))
  return parseEnv(lines)
}

/**
 * Returns the problem of a line in an env file, or null. Does not repeat the value, which may be a secret.
 */
function lineProblem(line: string, number: number): string | null {
  if (line === '' || line.startsWith('#')) return null
  const [, name, value] = /^([\w.-]+)\s*=(.*)$/s.exec(line) ?? []
  if (name === undefined) return `line ${number} must look like NAME=value`
  const similar = similarName(name, Object.keys(known))
  if (similar !== undefined) return `unknown variable ${name}; did you mean ${similar}?`
  if (!Object.hasOwn(known, name)) return null
  const bare = value!.trimStart()
  if (/^[“”‘’]/.test(bare)) return `${name}: the quotes are typographic; use " or '`
  // Some programs treat this as a comment; systemd and containers do not.
  return /^[^\s#]+#/.test(bare) ? `${name}: write a value with # in quotes` : null
}

/** Reads the variables and arguments of this process. @throws ConfigurationError */
export const readProcessEnvironment = (): Environment =>
  readEnvironment({
    words: process.argv.slice(2),
    nodeWords: process.execArgv,
    exported: process.env,
    directory: process.cwd(),
    warn: (message) => void process.stderr.write(`${message}\n`),
  })
