import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import about from '#package.json' with { type: 'json' }
import { makeProgram } from '#server/commands.ts'
import type { Runner } from '#server/runtime/command.ts'
import { readConfig } from '#server/runtime/env.ts'

const page = readFileSync(join(import.meta.dirname, 'page.mdx'), 'utf8')

/** Returns the code block in this language that contains `part`. */
function block(language: string, part: string): string {
  const blocks = page.matchAll(/^```(\w+)\n(.*?)^```/gms)
  const found = [...blocks].find(([, name, text]) => name === language && text!.includes(part))
  return found![2]!
}

/** Maximum waiting time of a long-polling request for events. */
const longPollS = 25

const scripts = Object.keys(about.scripts)

test('the systemd unit starts an existing script, as a dedicated user, in the project directory', () => {
  const unit = block('ini', '[Service]')
  for (const section of ['[Unit]', '[Service]', '[Install]']) expect(unit).toContain(section)
  for (const line of unit.split('\n').filter(Boolean)) expect(line).toMatch(/^(?:\[\w+\]|[A-Z]\w+=\S.*)$/)
  const commands = [...page.matchAll(/ExecStart=\/usr\/bin\/npm (?:run )?(\w+)/g)].map(([, name]) => name)
  expect(commands).toEqual(['start', 'worker'])
  for (const name of commands) expect(scripts).toContain(name)
  expect(unit).toMatch(/^User=(?!root)/m)
  expect(unit).toMatch(/^WorkingDirectory=\//m)
})

test('every variable in the environment file is known', () => {
  const file = block('ini', 'DATABASE_URL')
  const variables = Object.fromEntries(
    file
      .matchAll(/^(\w+)=(.*)$/gm)
      .map(([, name, value]) => [name!, value!.replaceAll(/["…]/g, 'x'.repeat(32))]),
  )
  expect(Object.keys(variables)).toContain('ENCRYPTION_KEY')
  const { databaseUrl, dataDir } = readConfig({
    ...variables,
    DATABASE_URL: 'postgres://u@db.internal/deals',
  })
  expect({ databaseUrl, dataDir }).toEqual({
    databaseUrl: 'postgres://u@db.internal/deals',
    dataDir: '/var/lib/deals',
  })
})

test('nginx forwards client and host, does not buffer, and waits longer than any request takes', () => {
  const nginx = block('nginx', 'server {')
  expect(nginx.match(/\{/g)).toHaveLength(nginx.match(/\}/g)!.length)
  for (const line of nginx
    .split('\n')
    .map((text) => text.trim())
    .filter(Boolean))
    expect(line).toMatch(/(?:;|\{|^\})$/)
  expect(nginx).toContain(`proxy_pass http://127.0.0.1:${readConfig({}).port};`)
  for (const header of ['Host', 'X-Forwarded-For', 'X-Forwarded-Proto'])
    expect(nginx).toMatch(new RegExp(`proxy_set_header ${header} \\$`))
  for (const name of ['proxy_buffering', 'proxy_request_buffering']) expect(nginx).toContain(`${name} off;`)
  expect(Number(/proxy_read_timeout (\d+)s/.exec(nginx)![1])).toBeGreaterThan(longPollS)
})

test('the crontab runs an existing command and escapes %', () => {
  const line = block('text', 'operator').trim()
  const [, command] = /^(?:[\d*]+ ){5}cd \/\S+ && npm run -s operator -- (\w+) /.exec(line)!
  expect(makeProgram({} as Runner).commands.map((each) => each.name())).toContain(command)
  expect(line.replaceAll('\\%', '')).not.toContain('%')
})
